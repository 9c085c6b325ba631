import type { ParameterType } from '#lib/api/parameters.ts'
import { UNIX_TIME_FORMAT } from '#lib/api/unread-values.ts'
import type { ParameterWords } from '#tools/contracts/words/words.ts'

/** The keywords of a JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The values that a parameter takes: as a schema, in words with the effect of other values, and as docs/api.md names them. */
interface AcceptedValues {
  readonly schema: JsonSchema
  readonly takes: string
  readonly short: string
}

const MAX_ID = 10 ** 15 - 1
/** The end of the year 9999. */
const MAX_UNIX_SECONDS = 253_402_300_799

const NO_SUCH = 'anything else is an unknown id'

/** Keyed by the description of the type in lib/api/parameters.ts. */
const ACCEPTED: Readonly<Record<string, AcceptedValues>> = {
  'whole number': {
    schema: { type: 'integer', minimum: 0, maximum: MAX_ID },
    takes: `a whole number; ${NO_SUCH}`,
    short: 'id',
  },
  'whole number, or -1 for none': {
    schema: { type: 'integer', minimum: -1, maximum: MAX_ID },
    takes: `a whole number, or -1; ${NO_SUCH}`,
    short: 'id or -1',
  },
  'whole number, or all': {
    schema: { anyOf: [{ type: 'integer', minimum: 0, maximum: MAX_ID }, { const: 'all' }] },
    takes: `a whole number, or \`all\`; ${NO_SUCH}`,
    short: 'id or `all`',
  },
  digits: {
    schema: { type: 'string', pattern: '^\\d*$' },
    takes: 'digits; anything else is refused',
    short: 'digits',
  },
  'Unix timestamp': {
    schema: { type: 'integer', format: UNIX_TIME_FORMAT, minimum: 0, maximum: MAX_UNIX_SECONDS },
    takes: 'a Unix timestamp; anything else, such as 2026-11-18, counts as not sent',
    short: 'time',
  },
  text: { schema: { type: 'string' }, takes: 'text', short: '' },
  'signed when sent, otherwise ignored': { schema: { type: 'string' }, takes: 'text', short: '' },
}

/** The values that a parameter takes. Throws an error for a type without a description. */
export function acceptedValues(type: ParameterType, { values, otherwise }: ParameterWords): AcceptedValues {
  const accepted = ACCEPTED[type.describes] ?? neutralValues(type.describes) ?? listedValues(type)
  const written = otherwise ?? values?.join(', ')
  return { ...accepted, ...(written !== undefined && { takes: written, short: written }) }
}

/** Parameters that clients send without any effect: see `onlyDefault` in lib/api/parameters.ts. */
function neutralValues(describes: string): AcceptedValues | undefined {
  const [, word] = /^(.+); anything else is not supported$/.exec(describes) ?? []
  if (!word) return undefined
  const only = word === 'blank' ? 'blank' : `\`${word}\``
  return {
    schema: { type: 'string', enum: word === 'blank' ? [''] : ['', word] },
    takes: `${only}; anything else is refused`,
    short: `only ${only}`,
  }
}

function listedValues({ describes, words }: ParameterType): AcceptedValues {
  if (!words) throw new Error(`The parameter type "${describes}" has no schema: add it to ACCEPTED`)
  const listed = words.map((word) => `\`${word}\``).join(', ')
  return {
    schema: { type: 'string', enum: words },
    takes: `${listed}; anything else counts as not sent`,
    short: listed,
  }
}

/** The value as a number if the schema is one of integers. */
export const typedValue = ({ type }: JsonSchema, value: string): string | number =>
  type === 'integer' && value !== '' ? Number(value) : value
