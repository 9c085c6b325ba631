import { expect, test } from 'vitest'
import type { Call } from '#lib/calls/call.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { callsIn, type DumpedItem, suspenseOf } from '#test/dump.ts'
import { fuzz } from '#test/fuzz/fuzz.ts'
import { sendDocuments } from '#test/mediation/csv-switch.ts'
import { throughQueue } from '#test/mediation/intake.ts'
import { aMediatedWorld, bring, type MediatedWorld, ZOE } from '#test/mediation/mediated-world.ts'
import { MediationModel } from '#test/mediation/mediation-model.ts'
import {
  crowds,
  type Delivery,
  plainOf,
  type StreamStep,
  streams,
} from '#test/mediation/mediation-streams.ts'
import {
  isPlainCdr,
  isRated,
  type Plain,
  type PlainCdr,
  type PlainEvent,
  PROXY,
  plainName,
  UNRATED,
} from '#test/mediation/plain-cdrs.ts'
import { counted, referenceSums, withoutZeros } from '#test/plain-sums.ts'
import { consume } from '#test/queue/queue.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { listPendingEvents } from './dialogs/dialog-event.ts'
import { openMediation } from './mediation.ts'
import { reasonsCuredBy, retryBatches, retryEntries } from './suspense/retry.ts'
import { suspendedText } from './suspense/suspense.ts'

test('streams of CDRs give the calls, prices, counters and suspense of a plain model', async () => {
  const models: MediationModel[] = []
  await fuzz('mediation', { inTest: 8, inSweep: 30 }, streams, async (steps) => {
    const [world, model] = [await aMediatedWorld(), new MediationModel(KNOWN_ACCOUNTS)]
    models.push(model)
    for (const step of steps) await take(world, model, step)
    await expectSame(world, model)
  })

  const sum = (name: keyof MediationModel['counts']) =>
    models.reduce((total, { counts }) => total + counts[name], 0)
  const [cdrs, duplicates] = [sum('cdrs'), sum('duplicates')]
  process.stdout.write(
    `mediation model: ${cdrs} CDRs and events, ${duplicates} duplicates, ${sum('corrections')} corrections, ${sum('suspended')} suspended\n`,
  )
  expect(cdrs).toBeGreaterThan(duplicates)
})

test('concurrent deliveries leave each CDR in one place, and store each call once', async () => {
  await fuzz('mediation at once', { inTest: 4, inSweep: 12 }, crowds, async (deliveries) => {
    const world = await aMediatedWorld()
    const sent = deliveries.flatMap(({ documents }) => documents.flatMap(({ plains }) => plains))
    await Promise.all(deliveries.map((one) => deliver(world, one)))
    const after = await expectSound(world, sent, isSomewhere)
    for (const one of deliveries) await deliver(world, one)
    const again = await expectSound(world, sent, (places) => places === 1)
    expect(again.calls).toEqual(expect.arrayContaining([...after.calls]))
  })
})

async function expectSame(world: MediatedWorld, model: MediationModel): Promise<void> {
  const items = await world.dump()
  expect(await mediatedIn(world, items)).toEqual(mediatedBy(model))
  const rows = callsOf(model).map(({ calldate, ...call }) => ({
    ...call,
    calldate: new Date(Number(calldate) * 1000).toISOString(),
  }))
  expect(withoutZeros(counted(items))).toEqual(withoutZeros(referenceSums(OWNERS, rows)))
  expect(await damageIn(world, items)).toEqual([])
}

/** A redelivered event may be pending beside its place until its dialog is correlated again. */
const isSomewhere = (places: number): boolean => places >= 1

/**
 * The CDRs that came in a format with channels and in one without. They have one name and two outcomes: the
 * channel's call is stored or skipped where the other format has a used id, and is suspended.
 */
function writtenInTwoWays(sent: readonly Plain[]): ReadonlySet<string> {
  const namesOf = (isOfChannel: boolean) =>
    sent.filter((plain) => isPlainCdr(plain) && plain.ofChannel === isOfChannel).map(plainName)
  const others = new Set(namesOf(false))
  return new Set(namesOf(true).filter((name) => others.has(name)))
}

async function expectSound(
  world: MediatedWorld,
  sent: readonly Plain[],
  isRight: (places: number) => boolean,
): Promise<Mediated> {
  const items = await world.dump()
  const mediated = await mediatedIn(world, items)
  const inTwoWays = writtenInTwoWays(sent)
  const compared = sent.filter((plain) => !inTwoWays.has(plainName(plain)))
  const wrong = compared.filter((plain) => !isRight(placesOf(plain, mediated)))
  expect(wrong.map((plain) => [plainName(plain), placesOf(plain, mediated)])).toEqual([])
  const possible = new Set(sent.flatMap(possibleCall))
  expect(mediated.calls.filter((call) => !call.startsWith(`["${PROXY}"`) && !possible.has(call))).toEqual([])
  expect(new Set(mediated.calls.map(idOfCall)).size).toBe(mediated.calls.length)
  expect(await damageIn(world, items)).toEqual([])
  return mediated
}

/** A call without an id is told by all its fields, and each call of a channel by start and numbers. */
function idOfCall(text: string): string {
  const [source, uniqueid, ...call] = JSON.parse(text) as string[]
  return uniqueid === '' ? text : JSON.stringify([source, uniqueid, ...call.slice(0, 3)])
}

const possibleCall = (plain: Plain): string[] =>
  plain.kind === 'cdr' && KNOWN_ACCOUNTS.includes(plain.account) ? [callTextOf(plain)] : []

/** In how many of suspense, the pending events and the calls a CDR is. */
function placesOf(plain: Plain, { calls, suspended, pending }: Mediated): number {
  const name = plainName(plain)
  const isSuspended = suspended.some((entry) => entry.endsWith(` ${name}`))
  const isElsewhere = isSuspended || pending.includes(name)
  const stored = calls
    .map((call): readonly string[] => JSON.parse(call))
    .filter((call) => plain.kind !== 'garbage' && isCallOf(plain, call, isElsewhere))
  const isSkipped = isPlainCdr(plain) && !isSuspended && isAttemptOfAnsweredCall(plain, stored)
  const isOpenCdr = isPlainCdr(plain) && canBeStored(plain) && isOpen(plain, isSuspended)
  const isPlaced = stored.length > 0 && (plain.kind === 'event' || isOpenCdr || isSkipped)
  const isNobodys = !isElsewhere && stored.length === 0 && isUnansweredOfNobody(plain)
  return [isSuspended, pending.includes(name), isPlaced || isNobodys].filter(Boolean).length
}

/** An unanswered call that nobody can own is skipped. */
function isUnansweredOfNobody(plain: Plain): boolean {
  if (plain.kind === 'garbage' || KNOWN_ACCOUNTS.includes(plain.account)) return false
  return plain.kind === 'event' ? plain.tells === 'failed' : plain.billsec === 0
}

const canBeStored = ({ account, billsec, duration }: PlainCdr): boolean =>
  KNOWN_ACCOUNTS.includes(account) && billsec <= duration

/** Beside a channel's answered CDR, one of an unanswered attempt is skipped, whoever's it is. */
const isAttemptOfAnsweredCall = ({ ofChannel, billsec }: PlainCdr, stored: readonly (readonly string[])[]) =>
  ofChannel === true && billsec === 0 && stored.some(([, , , , , , , cause]) => cause === ANSWERED)

const ANSWERED = '16'

/** Of contents that cannot be rated or take back an answer, another one of the call may be stored. */
const isOpen = (cdr: PlainCdr, isSuspended: boolean): boolean =>
  !isSuspended || (isRated(cdr) && cdr.billsec > 0)

/** Events of a dialog whose refusal was stored may be pending once more, or suspended with its answer. */
function isCallOf(
  plain: PlainCdr | PlainEvent,
  [source, uniqueid, start, src, dst, , , cause]: readonly string[],
  isElsewhere: boolean,
): boolean {
  if (plain.kind === 'event') {
    const isPlace = cause === ANSWERED || !isElsewhere
    return source === PROXY && uniqueid === plain.dialog && isPlace
  }
  const said = [plain.source, plain.uniqueid, String(plain.start), plain.src, plain.dst]
  return JSON.stringify(said) === JSON.stringify([source, uniqueid, start, src, dst])
}

// The world and the model

const OWNERS = { 10: '0', 20: '2', 77: '0' } as const

const PARTIES: Readonly<Record<string, { user_id: string; cents: number; reseller_cents?: number }>> = {
  bob: { user_id: '10', cents: 1 },
  carol: { user_id: '20', cents: 2, reseller_cents: 1 },
  zoe: { user_id: '77', cents: 1 },
}

const KNOWN_ACCOUNTS = ['bob', 'carol']

async function deliver(world: MediatedWorld, { way, documents }: Delivery): Promise<void> {
  if (way === 'mediate') {
    const whole = documents.map((document) => ({ ...document, zone: 'UTC' }))
    await sendDocuments(world, whole)
  } else if (way === 'queue') {
    const messages = documents.map(({ text, plains: _, ...of }) => ({
      type: 'switch_record',
      ...of,
      document: text,
    }))
    expect((await consume(world, ...messages)).batchItemFailures).toEqual([])
  } else {
    const through = way === 'endpoint to table' ? deliverToTable : throughQueue(world)
    // Documents of one millisecond have no order.
    for (const document of documents) {
      await bring(world, document, through)
      world.now = new Date(world.now.getTime() + 1)
    }
  }
}

/** Documents that arrive together are mediated together. At the endpoint they come one by one. */
function deliverToModel(model: MediationModel, { way, documents }: Delivery, now: number): void {
  const all = documents.map(({ plains }) => plains)
  for (const batch of way.startsWith('endpoint') ? all : [all.flat()]) model.deliver(batch, now)
}

const DAY_MS = 25 * 3_600_000

/** Takes a step in both worlds. Time passes from step to step. */
async function take(world: MediatedWorld, model: MediationModel, step: StreamStep): Promise<void> {
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
interface Mediated {
  readonly calls: readonly string[]
  readonly suspended: readonly string[]
  readonly pending: readonly string[]
}

async function mediatedIn(world: World, items: readonly DumpedItem[]): Promise<Mediated> {
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

type CallCells = Readonly<Record<string, string>>

const COMPARED = [
  ...['source', 'uniqueid', 'calldate', 'src', 'dst', 'duration', 'billsec', 'hangupcause', 'user_id'],
  ...['user_price', 'reseller_price'],
]

const callText = (cells: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(COMPARED.map((name) => String(cells[name] ?? '')))

const callTextOf = (cdr: PlainCdr): string => callText(cellsOf(cdr))

const storedCall = (call: Call): string =>
  callText({ ...call, uniqueid: call.uniqueid.startsWith('made-') ? '' : call.uniqueid })

const mediatedBy = (model: MediationModel): Mediated => ({
  calls: callsOf(model).map(callText).sort(),
  suspended: [...model.suspended].map(([name, { reason }]) => `${reason} ${name}`).sort(),
  pending: [...model.pending.keys()].sort(),
})

/** The calls of the model with their prices, as cells of a row. */
const callsOf = ({ calls }: MediationModel): CallCells[] => [...calls.values()].map(({ cdr }) => cellsOf(cdr))

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
