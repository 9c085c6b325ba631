import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import type { Deliver } from '#lib/ingest/http/intake-door.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { reasonsCuredBy, retryBatches, retryEntries } from '#lib/mediation/retry.ts'
import type { Call } from '#lib/store/calls/call.ts'
import { listPendingEvents } from '#lib/store/calls/dialog-event.ts'
import { suspendedText } from '#lib/store/calls/suspense.ts'
import { callsIn, type DumpedItem, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { rate, threeTariffs } from '#test/examples/tariffs.ts'
import { sendDocuments } from '#test/mediation/csv-switch.ts'
import { anIntake, post, throughQueue } from '#test/mediation/intake.ts'
import type { MediationModel } from '#test/mediation/mediation-model.ts'
import { type Delivery, type Framed, plainOf, type StreamStep } from '#test/mediation/mediation-streams.ts'
import { type PlainCdr, plainName, UNRATED } from '#test/mediation/plain-cdrs.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, type World } from '#test/world.ts'

/** Bob pays a cent a second; Carol pays two, of which Rick pays one. */
const OPERATOR = {
  ...threeTariffs,
  rates: ['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate: '0.6' })),
}

/** An account that does not exist at the beginning. */
export const ZOE = { ...people.find(({ id }) => id === '10'), id: '77', username: 'zoe', tariff_id: '1' }

export const OWNERS = { 10: '0', 20: '2', 77: '0' } as const

const PARTIES: Readonly<Record<string, { user_id: string; cents: number; reseller_cents?: number }>> = {
  bob: { user_id: '10', cents: 1 },
  carol: { user_id: '20', cents: 2, reseller_cents: 1 },
  zoe: { user_id: '77', cents: 1 },
}

export const KNOWN_ACCOUNTS = ['bob', 'carol']

/** An installation that documents of switches arrive at. */
export interface MediatedWorld extends World {
  readonly authorization: ReadonlyMap<string, string>
}

const SWITCHES = ['gw1', 'gw2', 'sip1']

export async function aMediatedWorld(): Promise<MediatedWorld> {
  const world = await aWorld(OPERATOR)
  const authorization = new Map<string, string>()
  for (const name of SWITCHES) authorization.set(name, await anIntake(world, name))
  return Object.assign(world, { authorization })
}

export async function deliver(world: MediatedWorld, { way, documents }: Delivery): Promise<void> {
  if (way === 'mediate') {
    const whole = documents.map((document) => ({ ...document, zone: 'UTC' }))
    await sendDocuments(world, whole)
  } else if (way === 'queue') await queue(world, documents)
  else {
    const through = way === 'door to table' ? deliverToTable : throughQueue(world)
    // Documents of one millisecond have no order.
    for (const document of documents) {
      await bring(world, document, through)
      world.now = new Date(world.now.getTime() + 1)
    }
  }
}

async function queue(world: MediatedWorld, documents: readonly Framed[]): Promise<void> {
  const messages = documents.map(({ format, source, text }) => ({
    type: 'switch_record',
    format,
    source,
    document: text,
  }))
  const { batchItemFailures } = await consume(world, ...messages)
  if (batchItemFailures.length > 0) throw failure(world, 'The queue kept a message')
}

export async function bring(
  world: MediatedWorld,
  { format, source, text }: Omit<Framed, 'plains'>,
  through: Deliver,
): Promise<void> {
  const headers = { authorization: world.authorization.get(source) ?? '' }
  const { statusCode } = await post(world, format, { body: text, headers, deliver: through })
  if (statusCode !== 200) throw failure(world, `The door answers ${statusCode}`)
}

const failure = ({ log }: World, sentence: string): Error =>
  new Error(`${sentence}: ${JSON.stringify(log.slice(-3))}`)

/** Documents that arrive together are mediated together. At the door they come one by one. */
function deliverToModel(model: MediationModel, { way, documents }: Delivery, now: number): void {
  const all = documents.map(({ plains }) => plains)
  const batches = way.startsWith('door') ? all : [all.flat()]
  for (const batch of batches) model.deliver(batch, now)
}

const DAY_MS = 25 * 3_600_000

/** Takes a step in both worlds. Time passes from step to step. */
export async function take(world: MediatedWorld, model: MediationModel, step: StreamStep): Promise<void> {
  world.now = new Date(world.now.getTime() + (step.step === 'a day passes' ? DAY_MS : 1000))
  const now = world.now.getTime() / 1000
  if (step.step === 'deliver') {
    deliverToModel(model, step, now)
    return deliver(world, step)
  }
  if (step.step === 'account') {
    model.accounts.add('zoe')
    return world.given({ users: [ZOE] })
  }
  const mediation = await openMediation(world.store, world.now)
  if (step.step === 'retry all') {
    model.retry(() => true, now)
    await retryEntries(mediation, await suspenseOf(world))
    return
  }
  const reasons = step.step === 'retry cured' ? reasonsCuredBy(['users']) : []
  model.suspendOverdue(now)
  model.retry((reason) => (reasons as readonly string[]).includes(reason), now)
  await retryBatches(mediation, { reasons, after: '' }, () => true)
}

/** Everything that a world knows of CDRs, in the words of the model. */
export interface Mediated {
  readonly calls: readonly string[]
  readonly suspended: readonly string[]
  readonly pending: readonly string[]
}

export async function mediatedIn(world: World, items: readonly DumpedItem[]): Promise<Mediated> {
  const suspended = await Promise.all(
    (await suspenseOf(world)).map(async (entry) => {
      const text = await suspendedText(world.store, entry)
      return `${entry.reason} ${plainName(plainOf({ ...entry, text }))}`
    }),
  )
  const events = await Array.fromAsync(listPendingEvents(world.store))
  const pending = events.map(({ document, ...event }) => plainName(plainOf({ ...event, text: document })))
  return {
    calls: callsIn(items).map(storedCall).sort(),
    suspended: suspended.sort(),
    pending: pending.sort(),
  }
}

type CallCells = Readonly<Record<(typeof COMPARED)[number], string>>

const COMPARED = [
  'source',
  'uniqueid',
  'calldate',
  'src',
  'dst',
  'duration',
  'billsec',
  'hangupcause',
  'user_id',
  'user_price',
  'reseller_price',
] as const

const callText = (cells: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(COMPARED.map((name) => String(cells[name] ?? '')))

export const callTextOf = (cdr: PlainCdr): string => callText(cellsOf(cdr))

const storedCall = (call: Call): string =>
  callText({ ...call, uniqueid: call.uniqueid.startsWith('made-') ? '' : call.uniqueid })

export const mediatedBy = (model: MediationModel): Mediated => ({
  calls: callsOf(model).map(callText).sort(),
  suspended: [...model.suspended].map(([name, { reason }]) => `${reason} ${name}`).sort(),
  pending: [...model.pending.keys()].sort(),
})

/** The calls of the model with their prices, as cells of a row. */
export const callsOf = ({ calls }: MediationModel): CallCells[] =>
  [...calls.values()].map(({ cdr }) => cellsOf(cdr))

function cellsOf({ account, start, dst, billsec, duration, cause, ...cdr }: PlainCdr): CallCells {
  const { user_id = '', cents = 0, reseller_cents } = PARTIES[account] ?? {}
  const isFree = dst.startsWith(UNRATED)
  const price = (each: number) => (isFree ? '0' : money(billsec * each))
  return {
    source: cdr.source,
    uniqueid: cdr.uniqueid,
    src: cdr.src,
    dst,
    user_id,
    calldate: String(start),
    duration: String(duration),
    billsec: String(billsec),
    hangupcause: String(cause),
    user_price: price(cents),
    reseller_price: reseller_cents === undefined ? '' : price(reseller_cents),
  }
}

/** Cents as an amount without zeros at its end. */
const money = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`.replace(/\.?0+$/, '')
