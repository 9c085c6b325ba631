/** What an element may hold: text, numbers, elements, lists of these; `undefined` vanishes. */
export type Content = Element | Markup | Rows | string | number | undefined | readonly Content[]

/** A piece of markup as plain data: order and repetition are what the arrays say. */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: Content
}

/** Markup that a row writer has made: already escaped. */
export interface Markup {
  readonly markup: string
}

/** Content that is rendered as it comes, batch by batch, for lists of any length. */
export interface Rows<B extends Content = Content> {
  readonly batches: AsyncIterable<B>
  /** How many bytes their markup will have, about: what cannot be delivered is refused before the first byte. */
  readonly expectedBytes: number
}

export const element = (tag: string, ...content: Content[]): Element => ({ tag, attributes: {}, content })

export const withAttributes = (attributes: Record<string, string>, of: Element): Element => ({
  ...of,
  attributes,
})
