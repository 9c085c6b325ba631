import fc from 'fast-check'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { CDR_FORMATS, type Framed, JSON_STYLES, writtenDocuments } from '#test/mediation/written-cdrs.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { method as quickstatsGet } from '../../functions/calls/quickstats_get.ts'
import { method as userCallsGet } from '../../functions/calls/user_calls_get.ts'
import { method as deviceRuleCreate } from '../../functions/device-rules/device_rule_create.ts'
import { method as deviceRuleDelete } from '../../functions/device-rules/device_rule_delete.ts'
import { method as deviceCreate } from '../../functions/devices/device_create.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import { method as deviceUpdate } from '../../functions/devices/device_update.ts'
import { method as devicesGet } from '../../functions/devices/devices_get.ts'
import { method as locationRuleCopy } from '../../functions/location-rules/location_rule_copy.ts'
import { method as locationRuleCreate } from '../../functions/location-rules/location_rule_create.ts'
import { method as locationRuleDelete } from '../../functions/location-rules/location_rule_delete.ts'
import { method as locationRuleUpdate } from '../../functions/location-rules/location_rule_update.ts'
import { method as exchangeRateUpdate } from '../../functions/rates/exchange_rate_update.ts'
import { method as rateGet } from '../../functions/rates/rate_get.ts'
import { method as userLogin } from '../../functions/session/user_login.ts'

// The one generator of traffic. Models follow its steps one by one (lib and functions), clients send them
// side by side in one process or in one that is killed (fights.sweep.test.ts), and over HTTP to a server that
// is killed (test/soak). Imports no vitest: a process that is killed runs this, too.

/** The methods of steps. */
export const METHODS = [
  ...[deviceCreate, deviceUpdate, deviceDelete, deviceRuleCreate, deviceRuleDelete],
  ...[locationRuleCreate, locationRuleUpdate, locationRuleCopy, locationRuleDelete],
  ...[exchangeRateUpdate, userLogin, devicesGet, quickstatsGet, userCallsGet, rateGet],
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

/** Steps without end, the same for the same seed. */
export function drawnSteps(kinds: readonly StepKind[], seed: number): Iterable<TrafficStep> {
  const [steps = []] = fc.sample(fc.infiniteStream(stepOf(kinds), { noHistory: true }), { seed, numRuns: 1 })
  return steps
}

/** The ids that steps may name. */
export type KnownIds = Readonly<
  Record<
    'devices' | 'deletableDevices' | 'deviceRules' | 'locationRules' | 'deletableLocationRules',
    readonly number[]
  >
>

/** Unknown to every installation. */
export const NO_ID = 999_999

export const CUSTOMERS = [10, 11]
export const LOCATIONS = [1, 5]

export type StepParams = Readonly<Record<string, string | number>>

/** A step that was sent. Without an answer it may be carried out or not. */
export interface SentStep {
  readonly n: number
  readonly kind: StepKind
  readonly params: StepParams
  readonly answer?: string | undefined
}

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
  exchange_rate_update: ({ n }) => ({ currency: 'GBP', rate: `1.${n}1` }),
  user_login: ({ one }) => ({ u: 'bob', p: one(['password of bob', 'wrong']) }),
  devices_get: ({ one }) => ({ user_id: one(CUSTOMERS) }),
  quickstats_get: () => ({}),
  user_calls_get: ({ one }) => ({ s_user: one(CUSTOMERS) }),
  rate_get: () => ({ prefix: '1000012345', username: 'bob' }),
  /** All rates of a tariff. */
  rates: ({ n }) => ({ tariff_rate: n + 1 }),
  /** A call as a dataset has it. */
  calls: ({ n, one }) => ({ uniqueid: `f${n}`, user_id: one(CUSTOMERS) }),
  /** Calls as a switch writes them. */
  cdrs: ({ n, one }) => ({
    uniqueid: `t${n}`,
    format: one(CDR_FORMATS),
    style: one(JSON_STYLES),
    turn: one([0, 1, 2, 3, 4, 5, 6, 7]),
  }),
} as const satisfies Record<string, (choices: Choices) => StepParams>

/** The name of a method, or data that comes another way. */
export type StepKind = keyof typeof PARAMS

export const STEP_KINDS = Object.keys(PARAMS) as StepKind[]

const withoutBlanks = (params: StepParams): StepParams =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => value !== ''))

// What steps carry

/** The signed form of a step that calls a method. */
export function formOf({ kind, params }: SentStep, key: string): URLSearchParams {
  const sent = Object.entries({ u: 'admin', ...params }).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(signedParameters(methodOf(kind), Object.fromEntries(sent), key))
}

export function methodOf(kind: StepKind) {
  const method = METHODS.find(({ name }) => name === kind)
  if (!method) throw new Error(`${kind} is not a method`)
  return method
}

/** The rates of a tariff, one for each prefix from 10000 on. */
export const trafficRates = (count: number, tariff_rate: number | string): Cells[] =>
  Array.from({ length: count }, (_, index) => ({
    tariff_id: '1',
    prefix: String(10_000 + index),
    tariff_rate: String(tariff_rate),
  }))

export const CDRS_OF_A_STEP = 10

/** The switch that writes the CDRs. */
export const SWITCH = 'pbx1'

/** The unique ids of the calls that a step brings. */
export function callIdsOf({ kind, params: { uniqueid } }: Pick<SentStep, 'kind' | 'params'>): string[] {
  if (kind === 'cdrs') return Array.from({ length: CDRS_OF_A_STEP }, (_, index) => `${uniqueid}.${index}`)
  return kind === 'calls' ? [String(uniqueid)] : []
}

const MORNING = Date.parse('2026-03-10T09:00:00Z') / 1000

/** The documents of a step's CDRs. Bob and Carol, who is a customer of a reseller, call in turn. */
export function cdrDocuments(params: StepParams): Framed[] {
  const cdrs = callIdsOf({ kind: 'cdrs', params }).map((uniqueid, index) => ({
    kind: 'cdr' as const,
    source: SWITCH,
    uniqueid,
    start: MORNING,
    src: '370',
    dst: `${10_000 + index}12345`,
    duration: 70,
    billsec: 60,
    cause: 16,
    account: index % 2 === 0 ? 'bob' : 'carol',
  }))
  const { format, style, turn } = params as unknown as Parameters<typeof writtenDocuments>[2]
  return writtenDocuments(SWITCH, cdrs, { format, style, turn })
}
