import type { Method } from '#lib/api/method.ts'
import { listActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { filesOf } from '#test/datasets/import-rows.ts'
import { method as userRegister } from '../../functions/accounts/user_register.ts'
import { method as deviceRuleCreate } from '../../functions/device-rules/device_rule_create.ts'
import { method as deviceRuleDelete } from '../../functions/device-rules/device_rule_delete.ts'
import { method as deviceDelete } from '../../functions/devices/device_delete.ts'
import { method as deviceUpdate } from '../../functions/devices/device_update.ts'
import { method as locationRuleCopy } from '../../functions/location-rules/location_rule_copy.ts'
import { method as locationRuleCreate } from '../../functions/location-rules/location_rule_create.ts'
import { method as locationRuleDelete } from '../../functions/location-rules/location_rule_delete.ts'
import { method as locationRuleUpdate } from '../../functions/location-rules/location_rule_update.ts'
import { method as exchangeRateUpdate } from '../../functions/rates/exchange_rate_update.ts'
import { type Acts, callMethod, type Deed, type Simulated } from './actors.ts'
import type { LiveCall } from './book.ts'
import { BOB, DAVE, MIA, RICK, TRUDY } from './dataset.ts'
import type { Draws } from './random.ts'
import type { Invariant, SeenTable } from './seen.ts'

// The operator's office: what stands beside calls and money changes by methods and by imports at once. There
// are few ids and words, so that most changes are of one thing, or want one word.

const DEVICES = ['901', '902', '903'] as const
const LOCATIONS = ['1', '2'] as const
const RULES = ['101', '102', '103'] as const
const OWNERS = ['0', '2', '3'] as const
const EXTENSIONS = ['', '1001', '1002', '8001', '8002'] as const
const ADDRESSES = ['', '192.0.2.1', '192.0.2.2'] as const
const CUTS = ['0', '00', '9'] as const

const METHODS: readonly (readonly [Method, (draws: Draws) => Readonly<Record<string, string>>])[] = [
  [
    deviceUpdate,
    ({ one }) => ({ device: one(DEVICES), extension: one(EXTENSIONS.slice(1)), comment: one(['x', 'y']) }),
  ],
  [deviceDelete, ({ one }) => ({ device: one(DEVICES) })],
  [deviceRuleCreate, ({ one }) => ({ device_id: one(DEVICES), name: 'made', cut: one(CUTS) })],
  [deviceRuleDelete, ({ one }) => ({ device_rule_id: one(RULES) })],
  [
    locationRuleCreate,
    ({ one }) => ({ location_id: one(LOCATIONS), name: 'made', cut: one(CUTS), device_id: one(DEVICES) }),
  ],
  [
    locationRuleUpdate,
    ({ one }) => ({ location_rule_id: one(RULES), cut: one(CUTS), device_id: one(DEVICES) }),
  ],
  [locationRuleCopy, ({ one }) => ({ location_rule_id: one(RULES), location_id: one(LOCATIONS) })],
  [locationRuleDelete, ({ one }) => ({ location_rule_id: one(RULES) })],
  [
    userRegister,
    ({ below }) => {
      const username = `registered${below(20)}`
      return {
        ...{ email: `${username}@customer.example`, device_type: 'SIP', username, country_id: '80' },
        ...{ first_name: 'Jane', last_name: 'Doe', password: 'Secret-1', password2: 'Secret-1' },
      }
    },
  ],
  [exchangeRateUpdate, ({ one }) => ({ currency: 'GBP', rate: one(['0.7', '0.8']) })],
]

export const ROWS: Partial<Record<FileName, (draws: Draws) => Cells>> = {
  currencies: ({ one }) => ({ name: one(['GBP', 'JPY']), exchange_rate: one(['0.7', '2']) }),
  providers: ({ one }) => ({
    id: one(['1', '2']),
    name: one(['Thames', 'Severn', 'Avon', 'Dee']),
    names: one(['', 'thames', 'severn thames']),
    addresses: one(ADDRESSES),
  }),
  devices: ({ one }) => ({
    id: one(DEVICES),
    user_id: String(one([BOB, DAVE, TRUDY, MIA])),
    name: one(['desk', '1001', '8001', '8002']),
    extension: one(EXTENSIONS),
    authentication: one(['password', 'ip']),
    ipaddr: one(ADDRESSES),
  }),
  device_rules: ({ one }) => ({
    id: one(RULES),
    device_id: one(DEVICES),
    name: one(['a', 'b']),
    cut: one(CUTS),
  }),
  dids: ({ one }) => ({
    id: one(['1', '2', '3']),
    did: one(['37052000001', '37052000002']),
    owner_id: one(OWNERS),
    user_id: one(['', String(BOB), String(DAVE)]),
    device_id: one(['', ...DEVICES]),
  }),
  locations: ({ one }) => ({ id: one(LOCATIONS), name: one(['north', 'south']), owner_id: one(OWNERS) }),
  location_rules: ({ one }) => ({
    id: one(RULES),
    location_id: one(LOCATIONS),
    name: 'read',
    cut: one(CUTS),
    minlen: one(['1', '5']),
    maxlen: one(['6', '9']),
    device_id: one(['', ...DEVICES]),
  }),
  local_calls: ({ one }) => ({
    uniqueid: one(['l1', 'l2']),
    calldate: one(['2026-05-29 10:00:00', '2026-05-30 07:00:00']),
    originator_user_id: one(['', String(BOB)]),
    terminator_user_id: String(DAVE),
  }),
  queue_log: ({ one }) => ({
    id: one(['1', '2']),
    time: one(['2026-05-29 10:00:00', '2026-05-30 07:00:00']),
  }),
}

const FILES = Object.keys(ROWS) as FileName[]

/** Two of the methods that change what stands beside calls and money, at the same moment. */
export const changesOffice: Acts = (scene) => {
  const next = METHODS[scene.book.turn++ % METHODS.length] ?? scene.draws.one(METHODS)
  const calls = [next, scene.draws.one(METHODS)].map(
    ([method, paramsOf]) => [method, { u: 'admin', ...paramsOf(scene.draws) }] as const,
  )
  return {
    who: 'admin',
    what: calls.map(([{ name }, params]) => `${name} ${Object.values(params).join(' ')}`).join(' and '),
    work: () => Promise.all(calls.map(([method, params]) => callMethod(scene, method, params))),
  }
}

/** A PBX reports these beside its calls, of a moment that is past in any zone. */
const BESIDE = (n: string): readonly object[] => [
  {
    ...{ type: 'local_call', uniqueid: `l${n}`, calldate: '2026-05-29 21:00:00' },
    ...{ originator_user_id: BOB, terminator_user_id: DAVE },
  },
  { type: 'queue_log', id: n, time: '2026-05-29 21:00:00' },
]

const AGE_MS = 5 * 3_600_000

/** The events of a call in progress between Bob and Dave. */
const eventsOf = ({ id, start }: LiveCall): readonly { readonly type: string }[] => [
  { type: 'call_started', id, start_time: start, user_id: BOB, dst_user_id: DAVE } as { type: string },
  { type: 'call_answered', id } as { type: string },
  { type: 'call_ended', id } as { type: string },
]

const begunCall = ({ book, outside }: Simulated): LiveCall => {
  const start = new Date(outside.now - AGE_MS).toISOString().slice(0, 19).replace('T', ' ')
  const call = { id: book.next++, start, told: new Set<string>(), isUnclear: false }
  book.live.push(call)
  return call
}

/** Reports in any order, many of them again; the events of a call, too. */
export const reportsBeside: Acts = (scene) => {
  const { draws, book } = scene
  if (book.live.length === 0 || draws.onceIn(4)) begunCall(scene)
  const call = draws.one(book.live.slice(-2))
  const events = Array.from({ length: 1 + draws.below(2) }, () => draws.one(eventsOf(call)))
  return reportsOf(scene, call, events, [draws.one(BESIDE(String(1 + draws.below(4))))])
}

/** All events of a short call, which several consumers may take at once. */
export const reportsAtOnce: Acts = (scene) => {
  const call = begunCall(scene)
  return reportsOf(scene, call, eventsOf(call))
}

function reportsOf(
  { installation }: Simulated,
  call: LiveCall,
  events: readonly { readonly type: string }[],
  beside: readonly object[] = [],
): Deed {
  const reports = [...beside, ...events]
  return {
    who: 'pbx',
    what: `reports ${JSON.stringify(reports)}`,
    work: () => installation.records.send(reports.map((one) => JSON.stringify(one))),
    ended: (ending) => {
      call.isUnclear ||= ending === 'killed' || 'failed' in ending
      for (const { type } of events) call.told.add(type)
    },
  }
}

/** A call is in the lists of those whom it concerns from its start until its end, whichever came first. */
async function liveCallsAreListed({ scene: { book, installation, outside } }: SeenTable): Promise<string[]> {
  const { eye } = installation
  const now = new Date(outside.now)
  const isYoung = ({ start }: LiveCall) => Date.parse(`${start}Z`) > outside.now - 23 * 3_600_000
  const known = book.live.filter((call) => !call.isUnclear && isYoung(call))
  if (book.zone !== 'UTC' || known.length === 0) return []
  const { shards } = await settingsOf(eye)
  const seenBy = async (caller: Parameters<typeof listActiveCalls>[1]) => {
    const listed = (await Array.fromAsync(listActiveCalls(eye, caller, now, shards))).flat()
    return known.flatMap(({ id, told }) => {
      const call = listed.find((one) => one.id === id)
      const isDue = told.has('call_started') && !told.has('call_ended')
      const isRight =
        (call !== undefined) === isDue &&
        (!call || told.has('call_answered') === (call.answer_time !== undefined))
      return isRight ? [] : [`${caller.id} sees ${JSON.stringify(call)} of the call ${id}: ${[...told]}`]
    })
  }
  const callers = [
    { id: 0, usertype: 'admin', owner_id: 0 },
    { id: RICK, usertype: 'reseller', owner_id: 0 },
    { id: BOB, usertype: 'user', owner_id: 0 },
  ] as const
  return (await Promise.all(callers.map(seenBy))).flat()
}

export const OFFICE_INVARIANTS: Readonly<Record<string, Invariant>> = {
  'calls in progress': liveCallsAreListed,
}

/** A dataset of a few rows, of which some are refused. */
export const importsRows: Acts = ({ draws, installation }) => {
  const file = draws.one(FILES)
  const rows = Array.from({ length: 1 + draws.below(3) }, () => ROWS[file]?.(draws) ?? {})
  return {
    who: 'admin',
    what: `imports ${file} ${JSON.stringify(rows)}`,
    work: () =>
      importDataset(
        { store: installation.store(), clock: () => new Date() },
        'office',
        filesOf({ [file]: rows }),
      ),
  }
}
