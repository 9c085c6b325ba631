import type { ParameterType } from '#lib/api/parameters.ts'
import type { ParameterWords } from '../words/words.ts'

/** JSON Schema, as far as it is used here. */
export interface Schema {
  readonly [keyword: string]: unknown
}

/** What a type of parameters takes: as a schema, and in words with what another value does. */
interface Kind {
  readonly schema: Schema
  readonly takes: string
}

const LARGEST_ID = 10 ** 15 - 1
/** The end of the year 9999. */
const LAST_SECOND = 253_402_300_799

const NO_SUCH = 'anything else names nothing'

/** By what the contract calls a type (lib/api/parameters.ts). */
const KINDS: Readonly<Record<string, Kind>> = {
  'whole number': {
    schema: { type: 'integer', minimum: 0, maximum: LARGEST_ID },
    takes: `a whole number; ${NO_SUCH}`,
  },
  'whole number, or -1 for none': {
    schema: { type: 'integer', minimum: -1, maximum: LARGEST_ID },
    takes: `a whole number, or -1; ${NO_SUCH}`,
  },
  'whole number, or all': {
    schema: { anyOf: [{ type: 'integer', minimum: 0, maximum: LARGEST_ID }, { const: 'all' }] },
    takes: `a whole number, or \`all\`; ${NO_SUCH}`,
  },
  digits: { schema: { type: 'string', pattern: '^\\d*$' }, takes: 'digits; anything else is refused' },
  'Unix timestamp': {
    schema: { type: 'integer', minimum: 0, maximum: LAST_SECOND },
    takes: 'a Unix timestamp; anything else, such as 2026-11-18, counts as not sent',
  },
  text: { schema: { type: 'string' }, takes: 'text' },
  'signed when sent, otherwise ignored': { schema: { type: 'string' }, takes: 'text' },
}

/** What a parameter takes. Throws for a type that nobody has described here. */
export function kindOf({ describes }: ParameterType, { values, otherwise }: ParameterWords): Kind {
  const kind = KINDS[describes] ?? neutralKind(describes) ?? wordsKind(describes)
  return { ...kind, ...(values && { takes: values.join(', ') }), ...(otherwise && { takes: otherwise }) }
}

/** What clients send though it asks for nothing: see `neutral`. */
function neutralKind(describes: string): Kind | undefined {
  const [, word] = /^(.+); anything else is not supported$/.exec(describes) ?? []
  if (!word) return undefined
  const takes = word === 'blank' ? 'blank; anything else is refused' : `\`${word}\`; anything else is refused`
  return { schema: { type: 'string', enum: word === 'blank' ? [''] : ['', word] }, takes }
}

function wordsKind(describes: string): Kind {
  const words = describes.split(', ')
  if (!words.every((word) => /^[a-z0-9_ ]+$/.test(word))) throw new Error(`What is a "${describes}"?`)
  return {
    schema: { type: 'string', enum: words },
    takes: `${words.map((word) => `\`${word}\``).join(', ')}; anything else counts as not sent`,
  }
}

/** A value as its schema has it. */
export const typed = ({ type }: Schema, value: string): string | number =>
  type === 'integer' && value !== '' ? Number(value) : value
