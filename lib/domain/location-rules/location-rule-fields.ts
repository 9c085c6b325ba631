import { isDialled, LENGTHS, LOCATION_RULE_TYPES } from './location-rule.ts'

/** How the text of a parameter becomes a column of a rule; `undefined` when it does not. */
type FieldReader = (text: string) => string | number | boolean | undefined

const dialled: FieldReader = (text) => (isDialled(text.trim()) ? text.trim() : undefined)

/** Blank is the bound that a rule has anyway. */
const lengthOr =
  (standard: number): FieldReader =>
  (text) => {
    const digits = text.trim()
    if (digits === '') return standard
    const length = /^\d{1,3}$/.test(digits) ? Number(digits) : 0
    return length >= LENGTHS.shortest && length <= LENGTHS.longest ? length : undefined
  }

const NAMES_OF_SWITCHES: Readonly<Record<string, boolean>> = { '1': true, '0': false }

/** 1 or 0. */
export const switchOf = (text: string): boolean | undefined => NAMES_OF_SWITCHES[text.trim()]

/** In the order in which ill-typed fields are refused. A blank field has the value that a new rule has. */
const READERS = {
  cut: dialled,
  add: dialled,
  minlen: lengthOr(LENGTHS.shortest),
  maxlen: lengthOr(LENGTHS.longest),
  lr_type: (text) => LOCATION_RULE_TYPES.find((type) => type === (text.trim() || 'dst')),
  change_callerid_name: (text) => (text.trim() === '' ? false : switchOf(text)),
  src_cut: dialled,
  src_add: dialled,
  src_minlen: lengthOr(LENGTHS.shortest),
  src_maxlen: lengthOr(LENGTHS.longest),
} as const satisfies Record<string, FieldReader>

export type RuleField = keyof typeof READERS

const RULE_FIELDS = Object.keys(READERS) as RuleField[]

/** The refusals of ill-typed fields, by field, for a contract (wire.md 4.6). */
export const RULE_FIELD_ERRORS = Object.fromEntries(
  RULE_FIELDS.map((field) => [field, `${field} is invalid`]),
) as Record<RuleField, string>

export type SentFields = Readonly<Partial<Record<RuleField, string | undefined>>>

/** The first field that was sent with a value it cannot have. */
export const wrongRuleField = (sent: SentFields): RuleField | undefined =>
  RULE_FIELDS.find((field) => {
    const text = sent[field]
    return text !== undefined && READERS[field](text) === undefined
  })

/** The columns that the sent fields set; to be asked once nothing is wrong. */
export const ruleColumnsOf = (sent: SentFields): Record<string, unknown> =>
  Object.fromEntries(
    RULE_FIELDS.flatMap((field) => {
      const text = sent[field]
      return text === undefined ? [] : [[field, READERS[field](text)]]
    }),
  )

interface Bounds {
  readonly minlen: number
  readonly maxlen: number
  readonly src_minlen: number
  readonly src_maxlen: number
}

/** Bounds that leave no length between them: the upper one is at fault, unless only the lower one was sent. */
export function crossedLengths(rule: Bounds, sent: SentFields): RuleField | undefined {
  if (rule.minlen > rule.maxlen) return sent.maxlen === undefined ? 'minlen' : 'maxlen'
  if (rule.src_minlen > rule.src_maxlen) return sent.src_maxlen === undefined ? 'src_minlen' : 'src_maxlen'
  return undefined
}
