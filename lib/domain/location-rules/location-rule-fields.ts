import { countOf, defineFields, flagOf, matching, wordAmong } from '#lib/domain/fields.ts'
import { DIALLED, LENGTHS, LOCATION_RULE_TYPES } from './location-rule.ts'

const dialled = { read: (text: string) => matching(DIALLED, text) }

/** Blank is the bound that a rule has anyway. */
const lengthOr = (standard: number) => ({
  read: (text: string) => {
    const length = countOf(text, standard, 3)
    return length === undefined || length < LENGTHS.shortest || length > LENGTHS.longest ? undefined : length
  },
})

/** In the order in which ill-typed fields are refused (wire.md 4.6). A blank field has the value that a new rule has. */
export const locationRuleFields = defineFields({
  cut: dialled,
  add: dialled,
  minlen: lengthOr(LENGTHS.shortest),
  maxlen: lengthOr(LENGTHS.longest),
  lr_type: { read: (text) => wordAmong(LOCATION_RULE_TYPES, text, 'dst') },
  change_callerid_name: { read: (text) => (text.trim() === '' ? false : flagOf(text)) },
  src_cut: dialled,
  src_add: dialled,
  src_minlen: lengthOr(LENGTHS.shortest),
  src_maxlen: lengthOr(LENGTHS.longest),
})

export type RuleField = keyof ReturnType<typeof locationRuleFields.errors>

export type SentFields = Readonly<Partial<Record<RuleField, string | undefined>>>

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
