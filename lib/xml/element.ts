/** What an element may hold: text, numbers, elements, lists of these; `undefined` vanishes. */
export type Content = Element | string | number | undefined | readonly Content[]

/** A piece of markup as plain data: order and repetition are what the arrays say. */
export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: Content
}

export const element = (tag: string, ...content: Content[]): Element => ({ tag, attributes: {}, content })

export const withAttributes = (attributes: Record<string, string>, of: Element): Element => ({
  ...of,
  attributes,
})
