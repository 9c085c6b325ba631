import fc from 'fast-check'
import { method as deviceRuleCreate } from '../../functions/device-rules/device_rule_create.ts'
import { method as deviceRuleDelete } from '../../functions/device-rules/device_rule_delete.ts'
import { method as deviceCreate } from '../../functions/devices/device_create.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import { method as deviceUpdate } from '../../functions/devices/device_update.ts'
import { method as locationRuleCopy } from '../../functions/location-rules/location_rule_copy.ts'
import { method as locationRuleCreate } from '../../functions/location-rules/location_rule_create.ts'
import { method as locationRuleDelete } from '../../functions/location-rules/location_rule_delete.ts'
import { method as locationRuleUpdate } from '../../functions/location-rules/location_rule_update.ts'

// The steps that the model of devices and rules follows one by one.

const METHODS = [
  ...[deviceCreate, deviceUpdate, deviceDelete, deviceRuleCreate, deviceRuleDelete],
  ...[locationRuleCreate, locationRuleUpdate, locationRuleCopy, locationRuleDelete],
]

/** What is drawn. Each pick is a position in some list, wrapped around: it is valid in every state. */
export interface TrafficStep {
  readonly kind: StepKind
  readonly picks: readonly number[]
}

const MOST_PICKS = 8

/** A kind listed several times is drawn as often. Failures shrink to fewer steps, not lower picks. */
export const stepOf = (kinds: readonly StepKind[]): fc.Arbitrary<TrafficStep> =>
  fc.noBias(
    fc.record({
      kind: fc.constantFrom(...kinds),
      picks: fc.noShrink(fc.array(fc.nat({ max: 999 }), { minLength: MOST_PICKS, maxLength: MOST_PICKS })),
    }),
  )

/** The ids that steps may name. */
export type KnownIds = Readonly<
  Record<
    'devices' | 'deletableDevices' | 'deviceRules' | 'locationRules' | 'deletableLocationRules',
    readonly number[]
  >
>

/** Unknown to every installation. */
export const NO_ID = 999_999

const CUSTOMERS = [10, 11]
export const LOCATIONS = [1, 5]

export type StepParams = Readonly<Record<string, string | number>>

/** The nth step's parameters. Shared words make steps collide; otherwise each has its own. */
export function paramsOf(
  { kind, picks }: TrafficStep,
  n: number,
  known: KnownIds,
  shared?: readonly string[],
): StepParams {
  const left = picks.values()
  const one: Choices['one'] = (list) => list[(left.next().value ?? 0) % list.length] as (typeof list)[number]
  return PARAMS[kind]({
    n,
    known,
    one,
    word: (own) => (shared ? one(shared) : own),
    id: (of) => (known[of].length > 0 ? one(known[of]) : NO_ID),
  })
}

/** The number of the step, and what its picks choose. */
interface Choices {
  readonly n: number
  readonly known: KnownIds
  readonly one: <T>(list: readonly T[]) => T
  readonly word: (own: string) => string
  readonly id: (of: keyof KnownIds) => number
}

const PARAMS = {
  device_create: ({ n, one, word }) => ({
    user_id: one(CUSTOMERS),
    description: `d${n}`,
    extension: one(['', word(String(5_000_000 + n))]),
  }),
  device_update: ({ n, one, word, id }) =>
    withoutBlanks({
      device: id('devices'),
      comment: `c${n}`,
      extension: one(['', word(String(6_000_000 + n))]),
      device_name: one(['', `phone${n}`, word(`desk${n}`)]),
    }),
  device_delete: ({ id }) => ({ device: id('deletableDevices') }),
  device_rule_create: ({ n, id, word }) => ({ device_id: id('devices'), name: word(`r${n}`), cut: '0' }),
  device_rule_delete: ({ id }) => ({ device_rule_id: id('deviceRules') }),
  location_rule_create: ({ n, one, known, word }) =>
    withoutBlanks({
      location_id: one(LOCATIONS),
      name: `l${n}`,
      cut: word(String(n)),
      minlen: one([1, 2, 5, 11, 12]),
      maxlen: one([12, 13, 16, 20]),
      device_id: one(['', ...known.devices]),
    }),
  location_rule_update: ({ n, id }) => ({
    location_rule_id: id('locationRules'),
    name: `u${n}`,
    cut: String(n),
    device_id: id('devices'),
  }),
  location_rule_copy: ({ one, id }) => ({
    location_rule_id: id('locationRules'),
    location_id: one(LOCATIONS),
  }),
  location_rule_delete: ({ id }) => ({ location_rule_id: id('deletableLocationRules') }),
} as const satisfies Record<string, (choices: Choices) => StepParams>

/** The name of a method. */
export type StepKind = keyof typeof PARAMS

const withoutBlanks = (params: StepParams): StepParams =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''))

export function methodOf(kind: StepKind) {
  const method = METHODS.find(({ name }) => name === kind)
  if (!method) throw new Error(`${kind} is not a method`)
  return method
}
