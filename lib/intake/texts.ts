/** Asks a document for a field by its name: the text, or blank where the document does not have it. */
export type Field = (name: string) => string

/** The text of a JSON value; an object or a list is none. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The first of some fields that says something. */
export function firstOf(field: Field, ...names: readonly string[]): string {
  for (const name of names) {
    const text = field(name)
    if (text !== '') return text
  }
  return ''
}

/** Those that say something, each once. */
export function said(...texts: readonly string[]): string[] {
  const once: string[] = []
  for (const text of texts) if (text !== '' && !once.includes(text)) once.push(text)
  return once
}
