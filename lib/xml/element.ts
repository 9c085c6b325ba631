/** The content of an element: text, numbers, elements, and lists of these. `undefined` is omitted. */
export type Content = Element | Markup | RowStream | string | number | undefined | readonly Content[]

/** An XML element as plain data. Arrays give the order and the repetition. */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: Content
}

/** Escaped markup that a row writer has made. As a whole answer it is plain text. */
export interface Markup {
  readonly markup: string
}

/** Content that is rendered batch by batch as it arrives, for lists of any length. */
export interface RowStream<B extends Content = Content> {
  readonly batches: AsyncIterable<B>
  /** The approximate size of the markup. An answer that is too large is refused before its first byte. */
  readonly expectedBytes: number
  /** Frees what the rows hold outside of memory. Called when the answer ends, also if no row was read. */
  readonly discard?: () => void
}

export const element = (tag: string, ...content: Content[]): Element => ({ tag, attributes: {}, content })

export const withAttributes = (attributes: Record<string, string>, of: Element): Element => ({
  ...of,
  attributes,
})
