import { countOf, isDigits, TRANSPORTS } from './device.ts'
import { languageCode } from './language.ts'

/** How the text of a parameter becomes a device's column; `undefined` when it does not. */
interface FieldRule {
  readonly column: string
  readonly read: (text: string) => string | number | boolean | undefined
  readonly refusal: string
}

const NAMES_OF_SWITCHES: Readonly<Record<string, boolean>> = { '1': true, '0': false }
const switchOf = (text: string): boolean | undefined => NAMES_OF_SWITCHES[text.trim()]
const asSent = (text: string): string => text

/** The fields stand in the order in which device_update refuses them (wire.md device_update). */
const RULES = {
  language: { column: 'language', read: languageCode, refusal: 'Language is invalid' },
  pin: {
    column: 'pin',
    read: (text) => (text === '' || isDigits(text) ? text : undefined),
    refusal: 'Pin must be numeric',
  },
  call_timeout: {
    column: 'max_timeout',
    read: countOf,
    refusal: 'Device Call Timeout must be greater than or equal to 0',
  },
  call_limit: { column: 'call_limit', read: countOf, refusal: 'Call limit must be a number' },
  transport: {
    column: 'transport',
    read: (text) => TRANSPORTS.find((transport) => transport === text.trim()),
    refusal: 'transport is invalid',
  },
  encryption: { column: 'encryption', read: switchOf, refusal: 'encryption is invalid' },
  hidden: { column: 'hidden', read: switchOf, refusal: 'hidden is invalid' },
  devicegroup_id: { column: 'devicegroup_id', read: countOf, refusal: 'devicegroup_id is invalid' },
  fromuser: { column: 'fromuser', read: asSent, refusal: 'fromuser is invalid' },
  comment: { column: 'comment', read: asSent, refusal: 'comment is invalid' },
  description: { column: 'description', read: asSent, refusal: 'description is invalid' },
} as const satisfies Record<string, FieldRule>

export type FieldName = keyof typeof RULES

type Sent = Readonly<Record<string, unknown>>

/** The refusals of these fields, by field, for a contract. */
export const fieldErrors = <const F extends FieldName>(...fields: F[]): Record<F, string> =>
  Object.fromEntries(fields.map((field) => [field, RULES[field].refusal])) as Record<F, string>

/** The first of the fields that was sent with a value it cannot have. */
export const wrongField = <F extends FieldName>(sent: Sent, fields: readonly F[]): F | undefined =>
  fields.find((field) => {
    const text = sent[field]
    return typeof text === 'string' && RULES[field].read(text) === undefined
  })

/** The columns that the sent fields set; to be asked once nothing is wrong. */
export const columnsOf = (sent: Sent, fields: readonly FieldName[]): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const text = sent[field]
      return typeof text === 'string' ? [[RULES[field].column, RULES[field].read(text)]] : []
    }),
  )
