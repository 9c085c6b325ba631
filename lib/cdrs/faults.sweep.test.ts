import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Call } from '#lib/calls/call.ts'
import { recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import type { FileStore } from '#lib/ingest/file-store.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { callsIn, type DumpedItem } from '#test/dump.ts'
import { queueEvent } from '#test/event.ts'
import { rate } from '#test/examples/tariffs.ts'
import {
  isDoneDespite,
  type Mishap,
  type MishapName,
  mishaps,
  OF_ONE_REQUEST,
  type TableRequest,
} from '#test/faults/faulty-endpoint.ts'
import { aWatchedTable } from '#test/faults/watched-table.ts'
import { dialogEvent } from '#test/mediation/csv-switch.ts'
import { aMediatedWorld, bring, type MediatedWorld, ZOE } from '#test/mediation/mediated-world.ts'
import { damageIn } from '#test/soundness.ts'
import { shareOf } from '#test/sweep.ts'
import type { World } from '#test/world.ts'
import { ingestFiles } from '#tools/commands/ingest/ingest-tool.ts'
import { rerate } from '#tools/commands/rerate/rerate-tool.ts'
import { suspendOverdue } from './dialogs/overdue.ts'
import type { FormatName } from './formats/formats.ts'
import { openMediation } from './mediation.ts'
import { reasonsCuredBy, retryBatches } from './suspense/retry.ts'
import { type SuspendedCdr, suspendedText } from './suspense/suspense.ts'

/** A way of CDRs into the table. */
interface MediationPath {
  readonly name: string
  /** The installation before the run. */
  readonly begin: () => Promise<MediatedWorld>
  /** Resolves to whether everything is done. A run that resolves to false, or throws, is repeated. */
  readonly run: (place: Workplace) => Promise<boolean>
}

/** A world whose requests may fail, and what a run needs besides. */
interface Workplace {
  readonly world: MediatedWorld
  /** Makes a thing for the first run, such as a queue, and keeps it for the runs that repeat it. */
  readonly kept: <T>(name: string, make: () => T) => T
  /** A bucket with objects, and the queue of its messages. Requests to them may also fail. */
  readonly files: (objects: Readonly<Record<string, string>>, queue: object[]) => FileStore
}

const HEADER = 'uniqueid,start,src,dst,duration,billsec,disposition,account_code,userfield'

/** Each CDR has a calling number of its own. */
const row = (src: number, account: string, { dst = '442079460000', billsec = 60, userfield = '' } = {}) =>
  `u${src},2026-03-10 09:00:00,${src},${dst},700,${billsec},ANSWERED,${account},${userfield}`

const csv = (...rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n')

const event = (src: number, method: 'INVITE' | 'BYE', accountcode: string): string =>
  dialogEvent(method, '200', method === 'BYE' ? 60 : 0, {
    ...{ callid: `d${src}`, accountcode, src_user: String(src), dst_user: '442079460009' },
  })

const CDRS = csv(
  row(1001, 'bob'),
  row(1002, 'carol'),
  row(1003, 'ghost'),
  row(1004, 'bob', { dst: '493012345678' }),
  'this,is no,CDR',
)

const EVENTS = [
  event(2001, 'INVITE', 'bob'),
  event(2001, 'BYE', 'bob'),
  event(2002, 'INVITE', 'bob'),
  event(2003, 'INVITE', 'ghost'),
  event(2003, 'BYE', 'ghost'),
].join('\n')

type Document = readonly [format: FormatName, text: string]

const throughEndpoint =
  (...documents: readonly Document[]) =>
  async ({ world }: Workplace): Promise<boolean> => {
    for (const [format, text] of documents) await bring(world, sent(format, text), deliverToTable)
    return true
  }

const sent = (format: FormatName, text: string) => ({
  format,
  text,
  source: format === 'csv' ? 'gw1' : 'sip1',
})

const after =
  (...documents: readonly Document[]) =>
  async (): Promise<MediatedWorld> => {
    const world = await aMediatedWorld()
    for (const [format, text] of documents) await bring(world, sent(format, text), deliverToTable)
    return world
  }

/** The account of suspended CDRs appears. */
const withZoe = (begin: () => Promise<MediatedWorld>) => async (): Promise<MediatedWorld> => {
  const world = await begin()
  await world.given({ users: [ZOE] })
  return world
}

const openIn = ({ store, now }: MediatedWorld) => openMediation(store, now)

const MESSAGES: readonly Document[] = [
  ['csv', CDRS],
  ['kamailio-json', event(2001, 'INVITE', 'bob')],
  ['kamailio-json', [event(2001, 'BYE', 'bob'), event(2003, 'INVITE', 'ghost')].join('\n')],
  ['csv', csv(row(1001, 'bob'), row(1001, 'bob', { billsec: 120 }))],
]

/** A message leaves the queue when it has not failed. */
async function runQueue({ world, kept }: Workplace): Promise<boolean> {
  const waiting = kept('queue', () =>
    MESSAGES.map(([format, text]) => {
      const { source } = sent(format, text)
      return { type: 'switch_record', format, source, document: text }
    }),
  )
  const { batchItemFailures } = await queueConsumer('ingest_calls', world.services)(queueEvent(...waiting))
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  waiting.splice(0, waiting.length, ...waiting.filter((_, index) => failed.has(`m${index + 1}`)))
  return waiting.length === 0
}

const DROPPED = csv(...Array.from({ length: 6 }, (_, n) => row(3001 + n, n === 4 ? 'ghost' : 'bob')))
const KEY = 'switches/gw1/csv/day.csv'
const CREATED = { Records: [{ s3: { bucket: { name: 'b' }, object: { key: KEY, size: DROPPED.length } } }] }

/** The file is split into parts, which are messages of the same queue. */
async function runBucket({ world, kept, files }: Workplace): Promise<boolean> {
  const queue = kept('queue', (): object[] => [CREATED])
  const consumer = fileConsumer('ingest_record_files', {
    ...world.services,
    files: files({ [KEY]: DROPPED }, queue),
    prefix: recordsPrefix,
    partBytes: 200,
  })
  while (queue.length > 0) {
    const [message] = queue
    const { batchItemFailures } = await consumer(queueEvent(message))
    if (batchItemFailures.length > 0) return false
    queue.splice(queue.indexOf(message as object), 1)
  }
  return true
}

function aFileIn(kept: Workplace['kept'], text: string): string {
  return kept('file', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'tollgate-paths-')), 'cdr')
    writeFileSync(path, text)
    return path
  })
}

async function runCommand({ world, kept }: Workplace): Promise<boolean> {
  const origin = { format: 'kamailio-json', source: 'sip1', zone: 'UTC' }
  for await (const _ of ingestFiles(() => openIn(world), origin, [aFileIn(kept, `${EVENTS}\n`)]));
  return true
}

async function runRetry({ world }: Workplace): Promise<boolean> {
  await retryBatches(await openIn(world), { reasons: reasonsCuredBy(['users']), after: '' }, () => true)
  return true
}

async function runOverdue({ world }: Workplace): Promise<boolean> {
  await suspendOverdue(await openIn(world))
  return true
}

const PERIOD = { from: '2026-03-09', till: '2026-03-11' }
const WISH = { ...PERIOD, with: 'active', includeInvoiced: false, includePriced: false } as const

async function runRerating({ world }: Workplace): Promise<boolean> {
  await rerate(
    world.store,
    () => world.now,
    WISH,
    async () => true,
  )
  return true
}

async function withDearerRates(): Promise<MediatedWorld> {
  const world = await after(['csv', CDRS], ['kamailio-json', EVENTS])()
  await world.given({
    rates: ['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44', tariff_rate: '6' })),
  })
  return world
}

/** Two days after its events. */
async function withOverdueEvents(): Promise<MediatedWorld> {
  const events = [event(2002, 'INVITE', 'bob'), event(2004, 'BYE', 'bob')].join('\n')
  const world = await after(['kamailio-json', events])()
  return Object.assign(world, { now: new Date('2026-03-12T12:00:00Z') })
}

/** Deflated it is larger than an item of the table. */
const LARGE = csv(row(4001, 'zoe', { userfield: randomBytes(400_000).toString('base64') }))

const OF_ZOE = csv(row(1005, 'zoe'), row(1006, 'zoe'), row(1003, 'ghost'))
const EVENTS_OF_ZOE = [event(2005, 'INVITE', 'zoe'), event(2005, 'BYE', 'zoe')].join('\n')
const CORRECTED = csv(row(1001, 'carol', { billsec: 120 }), row(1002, 'carol', { dst: '442079460008' }))

/** Every way on which CDRs come to their place. */
const PATHS: readonly MediationPath[] = [
  { name: 'prefix', begin: after(), run: throughEndpoint(['csv', CDRS], ['kamailio-json', EVENTS]) },
  { name: 'queue', begin: after(), run: runQueue },
  { name: 'bucket', begin: after(), run: runBucket },
  { name: 'command', begin: after(), run: runCommand },
  { name: 'correction', begin: after(['csv', CDRS]), run: throughEndpoint(['csv', CORRECTED]) },
  { name: 'large CDR', begin: after(), run: throughEndpoint(['csv', LARGE]) },
  { name: 'retry', begin: withZoe(after(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE])), run: runRetry },
  { name: 'retry of a large CDR', begin: withZoe(after(['csv', LARGE])), run: runRetry },
  {
    name: 'suspended CDRs again',
    begin: withZoe(after(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE])),
    run: throughEndpoint(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE]),
  },
  { name: 're-rating', begin: withDearerRates, run: runRerating },
  { name: 'overdue', begin: withOverdueEvents, run: runOverdue },
]

/** A mishap, or the end of the process, which sends nothing more. */
type Accident = MishapName | 'killed before' | 'killed after'

const ACCIDENTS = [
  'throttled',
  'killed after',
  'dropped before it arrived',
  'answer lost',
  'killed before',
  'answer cut short',
  'conflict',
  'condition failed',
  'left undone',
  'unavailable, in HTML',
] as const satisfies readonly Accident[]

/** The mishap of a request, by its number in the run. A request to S3 or SQS is `undefined`. */
type Plan = (at: number, request: TableRequest | undefined) => Mishap | undefined

interface Run {
  readonly isDone: boolean
  readonly requests: number
  /** The error that the run ended with. */
  readonly failure: string
}

interface Bench {
  readonly world: World
  /** Runs the path once. Without a plan nothing fails. */
  perform(plan?: Plan): Promise<Run>
  restore(): Promise<void>
}

/** Opens a path's world. Its clients repeat no request, so each fault is one AWS's client gave up on. */
async function aBench({ begin, run }: MediationPath): Promise<Bench> {
  const world = await begin()
  const table = await aWatchedTable<MediatedWorld>(world)
  const keeping = new Map<string, unknown>()
  return {
    world,
    perform: async (plan) => {
      let requests = 0
      const next = (request?: TableRequest) => {
        requests += 1
        return plan?.(requests - 1, request)
      }
      table.fail(next)
      const { world: failing, close } = table.connect(plan && { maxAttempts: 1 })
      const kept: Workplace['kept'] = (name, make) => {
        if (!keeping.has(name)) keeping.set(name, make())
        return keeping.get(name) as ReturnType<typeof make>
      }
      const files: Workplace['files'] = (objects, queue) => inMemory(objects, queue, next)
      const outcome = await run({ world: failing, kept, files }).then(
        (isDone) => ({ isDone, failure: '' }),
        (error: unknown) => ({ isDone: false, failure: String(error) }),
      )
      close()
      return { ...outcome, requests }
    },
    restore: () => {
      keeping.clear()
      return table.undo()
    },
  }
}

/** S3 or SQS do not answer. The code says that the CDR is not the reason. */
class Unreachable extends Error {
  readonly code = 'ECONNRESET'
}

function inMemory(
  objects: Readonly<Record<string, string>>,
  queue: object[],
  next: () => Mishap | undefined,
): FileStore {
  const attempt = async <T>(act: () => T): Promise<T> => {
    const mishap = next()
    if (mishap !== undefined && !isDoneDespite(mishap)) throw new Unreachable('It was not done')
    const answer = act()
    if (mishap !== undefined) throw new Unreachable('It was done')
    return answer
  }
  const bytesOf = (key: string) => Buffer.from(objects[key] ?? '')
  return {
    read: ({ key }, range) =>
      attempt(() => Readable.from([range ? bytesOf(key).subarray(range.from, range.to) : bytesOf(key)])),
    find: (_bucket, key) => attempt(() => (key in objects ? Readable.from([bytesOf(key)]) : undefined)),
    copy: () => attempt(() => undefined),
    write: () => attempt(() => undefined),
    enqueue: (message) => attempt(() => void queue.push(message)),
  }
}

interface Case {
  /** The number of the request. */
  readonly at: number
  readonly accident: Accident
  /** The accident also happens to all requests that follow. */
  readonly lasts: boolean
}

/** The accident happens at one request, or from that one on. */
const planOf =
  ({ at, accident, lasts }: Case): Plan =>
  (place, request) => {
    if (place < at || (place > at && !lasts)) return undefined
    return happensTo(place > at ? (NEXT.get(accident) ?? accident) : accident, request)
  }

function happensTo(accident: Accident, request: TableRequest | undefined): Mishap | undefined {
  if (accident === 'killed after') return 'answer lost'
  if (accident === 'killed before' || !request) return 'broken off'
  return mishaps[accident](request)
}

/** A process that has ended sends nothing more. */
const NEXT = new Map<Accident, Accident>([['killed after', 'killed before']])

/** The CDRs of a world, by their calling numbers and times. Each CDR of a sweep has its own number. */
interface Places {
  readonly calls: readonly string[]
  readonly suspended: readonly string[]
  readonly pending: readonly string[]
  /** Texts of suspense without an entry. */
  readonly orphans: readonly string[]
}

const CALL_COLUMNS = ['uniqueid', 'billsec', 'user_id', 'user_price', 'version'] as const

async function placesIn({ store }: World, items: readonly DumpedItem[]): Promise<Places> {
  const entries = items.filter(({ SK }) => SK === 'SUSPENSE') as (DumpedItem & SuspendedCdr)[]
  const suspended = await Promise.all(
    entries.map(async (entry) => {
      const text = await suspendedText(store, entry)
      return `${entry.src ?? entry.bytes}@${entry.start} ${entry.reason} ${text.length}`
    }),
  )
  const known = new Set(entries.map(({ PK }) => PK))
  return {
    calls: callsIn(items).map(callText),
    suspended: suspended.sort(),
    pending: items.filter(({ PK }) => PK.startsWith('DIALOGEVENTS#')).map(pendingText),
    orphans: items.flatMap(({ PK, SK }) => (SK.startsWith('TEXT#') && !known.has(PK) ? [SK] : [])),
  }
}

const callText = (call: Call): string => `${call.src} ${CALL_COLUMNS.map((name) => call[name]).join(' ')}`

const pendingText = ({ document, at }: DumpedItem): string =>
  `${(JSON.parse(String(document)) as { src_user: string }).src_user}@${at}`

/** The calling numbers of the CDRs in places. */
const heldIn = ({ calls, suspended, pending }: Places): string[] =>
  [
    ...calls.map((text) => text.split(' ')[0]),
    ...[...suspended, ...pending].map((text) => text.split('@')[0]),
  ].map(String)

/** Reports the damage of a table. A state of calls and counters is checked once. */
function damageFinder(world: World) {
  const known = new Map<string, string[]>()
  return async (items: readonly DumpedItem[]): Promise<string[]> => {
    const state = JSON.stringify(items.filter(({ PK }) => /^(CALL|STATS)#/.test(PK)))
    const damage = known.get(state) ?? (await damageIn(world, items))
    known.set(state, damage)
    return damage
  }
}

/** The number of accidents that are tried for each request. The choice differs from request to request. */
const TRIED_PER_REQUEST = Number(process.env['TOLLGATE_ACCIDENTS'] ?? 1)

const casesOf = (requests: number): Case[] =>
  Array.from({ length: requests }, (_, index) => chosenAt(index)).flat()

const chosenAt = (at: number): Case[] =>
  Array.from({ length: TRIED_PER_REQUEST }, (_, index) => {
    const number = at * TRIED_PER_REQUEST + index
    const accident = ACCIDENTS[number % ACCIDENTS.length] as Accident
    const isOfOne = OF_ONE_REQUEST.some((one) => one === accident)
    const round = Math.floor(number / ACCIDENTS.length)
    return { at, accident, lasts: accident.startsWith('killed') || (!isOfOne && round % 2 === 1) }
  })

interface Expected {
  readonly before: Places
  readonly right: Places
  readonly findDamage: ReturnType<typeof damageFinder>
}

/** The damage after an accident, or after the run that follows it. */
async function complaintAbout(bench: Bench, one: Case, expected: Expected): Promise<string | undefined> {
  const { isDone } = await bench.perform(planOf(one))
  const atOnce = await complaintIn(bench, expected, isDone)
  if (atOnce !== undefined) return `${isDone ? 'although it reports success' : 'at once'}: ${atOnce}`
  const { isDone: isDoneAfter, failure } = await bench.perform()
  if (!isDoneAfter) return `the run after it fails: ${failure}`
  return complaintIn(bench, expected, true)
}

async function complaintIn(
  { world }: Bench,
  expected: Expected,
  isDone: boolean,
): Promise<string | undefined> {
  const items = await world.dump()
  const places = await placesIn(world, items)
  const wrong = isDone ? differenceOf(places, expected.right) : lostOf(places, expected)
  return wrong ?? (await expected.findDamage(items))[0]
}

const differenceOf = (places: Places, right: Places): string | undefined =>
  JSON.stringify(places) === JSON.stringify(right)
    ? undefined
    : `${JSON.stringify(places)} instead of ${JSON.stringify(right)}`

/** A failed run is repeated, so it must not lose a CDR that was in the table before. */
function lostOf(places: Places, { before }: Expected): string | undefined {
  const held = new Set(heldIn(places))
  const lost = heldIn(before).filter((cdr) => !held.has(cdr))
  return lost.length > 0 ? `${lost} are lost` : undefined
}

async function tryOut(path: MediationPath, turn: number) {
  const bench = await aBench(path)
  const placesNow = async () => placesIn(bench.world, await bench.world.dump())
  const before = await placesNow()
  const { isDone, requests } = await bench.perform()
  const expected = { before, right: await placesNow(), findDamage: damageFinder(bench.world) }
  const broken: string[] = isDone ? [] : [`${path.name}: it fails without faults`]
  const cases = shareOf(casesOf(requests), turn)
  for (const one of cases) {
    await bench.restore()
    const complaint = await complaintAbout(bench, one, expected)
    const { at, accident, lasts } = one
    const where = `${path.name}, request ${at} of ${requests}, ${accident}${lasts ? ' from there on' : ''}`
    if (complaint !== undefined) broken.push(`${where}: ${complaint}`)
  }
  return { requests, cases: cases.length, broken }
}

test('after any fault a CDR is stored once, suspended, pending, or still in its source', async () => {
  const tried = await Promise.all(PATHS.map(tryOut))

  const sum = (of: (one: (typeof tried)[number]) => number) => tried.reduce((all, one) => all + of(one), 0)
  const broken = tried.flatMap((one) => one.broken)
  const said = `${sum(({ cases }) => cases)} cases of ${sum(({ requests }) => requests)} requests on ${tried.length} paths`
  process.stdout.write(`mediation faults: ${said}\n`)
  expect(broken).toEqual([])
})
