import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { isCall, readCall } from '#lib/calls/call.ts'
import { type Attributes, type Item, numberOf } from '#lib/table/items.ts'
import { keyIn } from '#lib/table/keys.ts'
import type { TableClient } from '#lib/table/requests/client.ts'
import { table as definition } from '#lib/table/table.ts'
import type { Acts, Deed, Simulated } from './actors.ts'
import * as actors from './actors.ts'
import { type Book, emptyBook } from './book.ts'
import * as bookkeepers from './bookkeepers.ts'
import * as clerks from './cast/clerks.ts'
import * as files from './cast/files.ts'
import * as logins from './cast/logins.ts'
import * as mailroom from './cast/mailroom.ts'
import * as payers from './cast/payers.ts'
import * as readers from './cast/readers.ts'
import { BEGIN } from './dataset.ts'
import * as hostile from './hostile.ts'
import { anInstallation, isMistake, TABLE_NAME } from './installation.ts'
import { digestOf, INVARIANTS } from './invariants.ts'
import * as office from './office.ts'
import { type Outside, takeOver } from './outside.ts'
import { createPlainTable } from './plain-table.ts'
import { type Draws, drawsFrom } from './random.ts'
import { CALM, createScheduler, type Ending, type Weather } from './scheduler.ts'
import { see } from './seen.ts'
import { noteMoney } from './thresholds.ts'

/** How often each actor acts, beside the others. */
const ACTORS: readonly (readonly [weight: number, actor: Acts])[] = [
  [10, actors.switchSends],
  [18, actors.consumeRecords],
  [8, actors.authorizeCall],
  [8, actors.hangUp],
  [3, actors.fs1Sends],
  [2, actors.makesDevice],
  [1, actors.dropsDevice],
  [1, actors.changeDetails],
  [6, readers.asksMethods],
  [4, readers.looksAtPages],
  [6, actors.paysByApi],
  [3, actors.recordsPayment],
  [2, actors.takesBack],
  [2, actors.adjusts],
  [1, actors.issuesMonth],
  [1, actors.makesCharges],
  [1, actors.allocates],
  [1, actors.sumsUp],
  [3, actors.archives],
  [2, bookkeepers.archivesInPieces],
  [6, actors.correctsLate],
  [6, actors.correctsOften],
  [1, actors.changesSettings],
  [3, hostile.triesHarm],
  [1, hostile.drawsCallIds],
  [2, hostile.takesNames],
  [1, actors.retries],
  [1, actors.addsZoe],
  [3, actors.relays],
  [1, actors.fallsWhileRelayed],
  [8, hostile.sendsToTheSilent],
  [3, bookkeepers.paysInvoice],
  [3, bookkeepers.movesPayment],
  [2, bookkeepers.movesNote],
  [1, bookkeepers.creditsInvoice],
  [1, bookkeepers.writesOff],
  [3, bookkeepers.issuesOne],
  [1, bookkeepers.closesMonth],
  [1, bookkeepers.numbersEntries],
  [1, bookkeepers.changesVat],
  [2, bookkeepers.movesCustomer],
  [1, bookkeepers.rerates],
  [3, office.changesOffice],
  [2, office.importsRows],
  [1, office.reportsBeside],
  [2, office.reportsAtOnce],
  [2, files.putsFile],
  [2, files.importsFiles],
  [12, clerks.clerksWork],
  [2, mailroom.sendsMails],
  [1, logins.signsIn],
  [1, logins.logsIn],
  [2, payers.booksStatement],
  [1, payers.cardsPay],
  [2, payers.stripeTells],
]

/** Of every other seed, calls are never archived: such an installation may change its zone or balances. */
const archivesCalls = (seed: number): boolean => seed % 2 === 0

const actorsOf = (seed: number): typeof ACTORS => {
  if (archivesCalls(seed)) return ACTORS
  const { changesZone, opensBalances, zoneChangeFalls, openingFalls, opensWhileStored } = bookkeepers
  const changes: typeof ACTORS =
    seed % 4 === 1
      ? [
          [4, changesZone],
          [4, zoneChangeFalls],
        ]
      : [
          [4, opensBalances],
          [4, openingFalls],
          [20, opensWhileStored],
        ]
  return [
    ...ACTORS.filter(([, actor]) => ![actors.archives, bookkeepers.archivesInPieces].includes(actor)),
    ...changes,
  ]
}

/** In two thirds of the seeds, each actor acts more often than usual, or never: what is rare meets. */
const drawnCast = (draws: Draws, cast: typeof ACTORS): typeof ACTORS =>
  draws.onceIn(3) ? cast : cast.map(([weight, actor]) => [weight * draws.one([0, 1, 1, 8]), actor])

/** Functions that run at the same moment. */
const MOST_RUNNING = 5

/** Requests between two looks at everything. */
const STEPS_UNTIL_QUIET = [40, 80, 200]

export interface SimulationOptions {
  readonly seed: number
  /** The number of requests that are answered before the end, without those of quiet moments. */
  readonly steps: number
  /** Requests between two looks at everything. */
  readonly quiet?: number | undefined
  /** Only these actors act, by the names of their functions. */
  readonly only?: readonly string[] | undefined
  /** Misfortunes in place of those that the seed draws. */
  readonly weather?: Partial<Weather> | undefined
  /** A table of an engine in place of one in this process. */
  readonly engine?: TableClient | undefined
  /** Every read sees the latest writes, as those of the embedded engine do. */
  readonly isPrompt?: boolean | undefined
}

export interface SimulationResult {
  readonly seed: number
  /** Requests, without those of the quiet moments and of the end. */
  readonly steps: number
  readonly requests: number
  readonly digest: string
  /** Sentences about what is wrong, each after the name of its invariant; empty for a right run. */
  readonly wrong: readonly string[]
  /** The story of the run: who did what when. */
  readonly story: readonly string[]
  /** The methods that have answered, and the acts that were carried out, by their summaries. */
  readonly called: ReadonlySet<string>
}

/** The name of its export: a function that another one has made has no name of its own. */
const nameOf = (actor: Acts): string =>
  Object.entries(actors).find(([, one]) => one === actor)?.[0] ?? actor.name

export const ACTOR_NAMES: readonly string[] = [
  ...new Set([...ACTORS, ...actorsOf(1), ...actorsOf(3)].map(([, actor]) => nameOf(actor))),
]

/** Runs an installation from its seed. Stops at the first thing that is wrong. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const draws = drawsFrom(options.seed)
  const outside = takeOver(drawsFrom(options.seed ^ 0x5eed), BEGIN)
  try {
    return await run(options, draws, outside)
  } finally {
    outside.restore()
  }
}

async function run(options: SimulationOptions, draws: Draws, outside: Outside): Promise<SimulationResult> {
  const { seed, steps, only = ACTOR_NAMES } = options
  const mostLag = options.isPrompt ? 0 : MOST_LAG
  const stage = await aStage(options, draws, outside)
  const { scheduler, wrong, table } = stage
  const cast = drawnCast(draws, actorsOf(seed))
  const acting = cast.filter(([, actor]) => only.includes(nameOf(actor)))
  const drawnQuiet = draws.one(STEPS_UNTIL_QUIET)
  const quiet = options.quiet ?? drawnQuiet
  const weather = { ...drawnWeather(draws), ...options.weather }

  // Rick's endpoint hears of nothing before it has echoed its challenge.
  await drain(stage)
  let [looking, lookAt] = [scheduler.answered, quiet]
  const done = () => scheduler.answered - looking
  let idle = 0
  while (done() < steps && wrong.length === 0 && idle < MOST_IDLE) {
    scheduler.weather = weather
    table.lag = draws.onceIn(3) ? draws.below(mostLag) : 0
    if (isTimeToAct(draws, scheduler.running)) await stage.act(acting)
    outside.now += drawnMoment(draws, scheduler.running, weather)
    const answered = scheduler.answered
    await scheduler.step()
    idle = scheduler.answered === answered ? idle + 1 : 0
    if (done() < lookAt) continue
    const before = done()
    lookAt = before + quiet
    await lookAndPause(stage)
    looking = scheduler.answered - before
  }
  const counted = done()
  await closeMonth(stage)
  const digest = digestOf(await itemsOf(stage.client), stage.scene.installation.bucket.objects)
  const { called } = stage.scene.installation
  const requests = scheduler.answered
  return { seed, steps: counted, requests, digest, wrong, story: stage.story, called }
}

async function lookAndPause(stage: Stage): Promise<void> {
  const { tell, scene } = stage
  tell('everything comes to its end')
  await look(stage)
  scene.outside.now += drawnPause(scene.draws, scene.outside.now)
  tell('time has passed')
  if (scene.draws.onceIn(2)) await expire(stage)
}

/** Turns without an answer, after which the few actors of a run have nothing left to do. */
const MOST_IDLE = 2000

const isTimeToAct = (draws: Draws, running: number): boolean =>
  running === 0 || (running < MOST_RUNNING && draws.onceIn(6))

type Stage = Awaited<ReturnType<typeof aStage>>

/** An installation, and what acts on it. */
async function aStage({ seed, engine }: SimulationOptions, draws: Draws, outside: Outside) {
  const [story, wrong]: [string[], string[]] = [[], []]
  const tell = (line: string) => {
    story.push(`${new Date(outside.now).toISOString().slice(5, 23)} ${line}`)
  }
  const book = emptyBook(seed * TURNS_OF_SEED)
  const table = createPlainTable(TABLE_NAME, (written) => {
    noteLength(book, written)
    noteJournal(book, written)
    noteMoney(book.watched, written)
  })
  const client = engine ? reallyAsked(engine, outside.really) : table.client
  const object = (sentence: string) => void wrong.push(sentence)
  const scheduler = createScheduler(outside, draws, tell, object)
  const installation = await anInstallation(client, scheduler, draws, () => outside.now)
  await actors.addEndpoints(installation)
  const scene: Simulated = { outside, draws, installation, book, object }
  const noteMistake = (failed: Error, who: string) => {
    if (!actors.isRefused({ failed }) && isMistake(failed)) object(`bug: ${who} fails: ${failed.stack}`)
  }
  const start = async ({ who, what, work, ended, fallsAfter }: Deed) => {
    tell(`${who} ${what}`)
    const noteEnd = (ending: Ending<unknown>) => {
      ended?.(ending)
      // A queue delivers again, so that a consumer looks again.
      scene.book.missesLook ||= who !== 'consumer' && !(ending !== 'killed' && 'done' in ending)
      if (ending === 'killed') tell(`${who} is killed`)
      else if ('failed' in ending) {
        tell(`${who} fails: ${ending.failed}`)
        noteMistake(ending.failed as Error, who)
      }
    }
    await scheduler.start(who, work, noteEnd, fallsAfter)
  }
  /** Lets one of these actors act. Returns false if it has nothing to do. */
  const act = async (some: typeof ACTORS): Promise<boolean> => {
    const deed = drawnActor(draws, some)?.(scene)
    if (deed) await start(deed)
    return deed !== undefined
  }
  return { seed, story, wrong, tell, table, client, scheduler, scene, start, act }
}

function noteLength({ stored }: Book, attributes: Attributes): void {
  if (!attributes['SK']?.S?.startsWith('CALL')) return
  const item = unmarshall(attributes, { wrapNumbers: numberOf })
  if (!isCall(item)) return
  const { uniqueid, billsec } = readCall(item)
  const before = stored.get(uniqueid) ?? []
  if (before.at(-1) !== billsec) stored.set(uniqueid, [...before, billsec])
}

/** A run that closes a month may be killed before or after it has: only the table knows when it was. */
function noteJournal({ closedTill, postedLate }: Book, { PK, SK, till }: Attributes): void {
  const [kind, seller = '', month = ''] = PK?.S?.split('#') ?? []
  if (kind === 'JOURNALCLOSED') closedTill.set(seller, till?.S ?? '')
  if (kind === 'JOURNAL' && month <= (closedTill.get(seller) ?? ''))
    postedLate.push(`the entry ${SK?.S} came into ${month} of ${seller} after it was closed`)
}

/** Lets everything that is under way come to its end, without misfortunes. */
async function drain(stage: Stage): Promise<void> {
  const { scheduler, table, scene, start } = stage
  scheduler.weather = CALM
  table.lag = 0
  do {
    await idle(stage)
    // Chance may have left them out.
    for (const deed of [actors.relays(scene), actors.allocates(scene), bookkeepers.opensAgain(scene)])
      if (deed) await start(deed)
    while (await scheduler.step());
  } while (messagesLeft(scene).length > 0)
}

const messagesLeft = ({ installation: { records, files: dropped, webhooks } }: Simulated) => [
  ...[records, dropped.queue].flatMap(({ messages }) => messages),
  ...webhooks.messages.filter((message) => !actors.isGivenUp(message)),
]

/** Consumers and callers act by chance until none has had anything to do for a while. */
async function idle({ scheduler, scene, act }: Stage): Promise<void> {
  const { outside, book } = scene
  for (let rounds = 0; rounds < IDLE_ROUNDS; rounds += 1) {
    while (await scheduler.step());
    const isBusy = await act(ACTORS.filter(([, actor]) => DRAINING.has(actor)))
    const left = messagesLeft(scene).map(({ visibleAt }) => visibleAt)
    if (!isBusy && left.length > 0) outside.now = Math.max(outside.now, Math.min(...left))
    else if (book.inProgress.size > 0) outside.now += MINUTE_MS
    // Chance may leave the switch out that tells a call of a month before it is issued.
    if (left.length > 0 || book.inProgress.size > 0 || book.outgoing.get('fs1')?.length) rounds = 0
    giveUp(scene)
  }
  while (await scheduler.step());
}

function giveUp({ installation: { records }, object }: Simulated): void {
  for (const message of records.messages.filter(({ received }) => received > MOST_RECEIVED)) {
    object(`queue: ${message.id} fails each time: ${message.body.slice(0, 300)}`)
    records.remove(message)
  }
}

/** At the end of a right run the month is over, and all of it is billed. */
async function closeMonth(stage: Stage): Promise<void> {
  if (stage.wrong.length > 0) return
  await drain(stage)
  const { scene, tell } = stage
  if (archivesCalls(stage.seed) && scene.draws.onceIn(2)) await archiveWhileCorrected(stage)
  const now = new Date(scene.outside.now)
  scene.outside.now = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2)
  tell('the month is over')
  // Each time the oldest month is issued that is not yet, and at last one that is.
  const over = actors.monthsBefore(new Date(scene.outside.now))
  for (const seller of actors.SELLERS)
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await issueTwice(stage, seller)
      if (turn > 0 && over.every((month) => scene.book.months.has(`${seller} ${month}`))) break
    }
  await look(stage, true)
}

/** A month may be refused while the journal of another one is closed, for example. */
const MOST_TURNS = 6

/** Two people issue a month at once, and a third one that of a customer, while the books are closed. */
async function issueTwice({ scene, start, scheduler }: Stage, seller: (typeof actors.SELLERS)[number]) {
  const deeds = [
    ...[actors.issueOf(scene, seller), actors.issueOf(scene, seller), bookkeepers.issuesOne(scene)],
    ...[bookkeepers.closesMonth(scene), bookkeepers.numbersEntries(scene)],
  ]
  for (const deed of deeds) if (deed) await start(deed)
  while (await scheduler.step());
}

/** Drains, and asks every invariant. */
async function look(stage: Stage, isClosed = false): Promise<void> {
  await drain(stage)
  if (archivesCalls(stage.seed) && stage.scene.draws.onceIn(2)) await archiveAll(stage, isClosed)
  if (stage.scene.draws.onceIn(3)) await askAlone(stage)
  await workInQuiet(stage, isClosed ? TURNS_AT_END : TURNS_IN_QUIET)
  const seen = await see(stage.scene, await itemsOf(stage.client), isClosed)
  for (const [name, invariant] of Object.entries(INVARIANTS))
    stage.wrong.push(...(await invariant(seen)).map((sentence) => `${name}: ${sentence}`))
}

/** What is rare is done now and then without misfortunes, too: clerks and readers take their turns. */
async function workInQuiet(stage: Stage, turns: number): Promise<void> {
  const { scene, start, scheduler } = stage
  for (let turn = 0; turn < turns; turn += 1) {
    const others = QUIET[turn % QUIET.length]?.(scene)
    for (const deed of [clerks.clerksWork(scene), readers.asksMethods(scene), others])
      if (deed) await start(deed)
    while (await scheduler.step());
  }
  await drain(stage)
}

/** At the end, what is credited would not be billed again. */
const QUIET: readonly Acts[] = [
  ...[bookkeepers.movesPayment, office.changesOffice, bookkeepers.paysInvoice, bookkeepers.movesPayment],
  ...[bookkeepers.movesNote, bookkeepers.movesNote],
  ...[bookkeepers.creditsPart, bookkeepers.writesOff, actors.takesBack, mailroom.sendsMails],
  ...[bookkeepers.opensWhilePaid, actors.sumsUp, files.dismissesFailed],
]

/** Their tasks begin elsewhere in each seed. */
const TURNS_OF_SEED = 23

const TURNS_IN_QUIET = 4

const TURNS_AT_END = 13

/** Nothing else is under way: the archive refuses no day, or all if a change of the zone was interrupted. */
async function archiveAll(stage: Stage, isClosed: boolean): Promise<void> {
  const { scene, start, scheduler } = stage
  // What comes after the last invoices is not billed.
  if (!isClosed && scene.draws.onceIn(2)) await archiveWhileCorrected(stage)
  const deed = actors.archives(scene)
  const ended: Deed['ended'] = (ending) => {
    const failed = ending !== 'killed' && 'failed' in ending ? String(ending.failed) : undefined
    const isMoving = scene.book.zone === 'unknown' && failed?.includes('Timezone is being changed')
    if (failed !== undefined && !isMoving) scene.object(`archive: ${failed}`)
  }
  if (deed) await start({ ...deed, ended })
  while (await scheduler.step());
}

/** An old call is corrected, and again while its day is archived. What left expires before the next run. */
async function archiveWhileCorrected(stage: Stage): Promise<void> {
  const { scene, start, scheduler } = stage
  const first = actors.correctsFirst(scene)
  if (!first) return
  await start(first)
  await drain(stage)
  for (const acts of [actors.correctsFirst, bookkeepers.archivesWhileStored]) {
    const deed = acts(scene)
    if (deed) await start(deed)
    while (await scheduler.step());
  }
  await drain(stage)
  scene.outside.now += 2 * DAY_MS
  await expire(stage)
}

/** While nothing else is under way, each of two calls is decided: nobody else changes the holds. */
async function askAlone(stage: Stage): Promise<void> {
  const { scene, start, scheduler } = stage
  for (let turn = 0; turn < 2; turn += 1) {
    const deed = actors.asksFor(scene, 1)
    const ended: Deed['ended'] = (ending) => {
      deed.ended?.(ending)
      const statuses = actors.doneOf<{ readonly statusCode: number }[]>(ending)
      if (statuses?.some(({ statusCode }) => statusCode !== 200))
        scene.object(`call control: ${deed.what}, alone, and gets no decision`)
    }
    await start({ ...deed, ended })
    while (await scheduler.step());
  }
  await drain(stage)
}

/** DynamoDB removes what has expired, sooner or later. */
async function expire({ scene, client }: Stage): Promise<void> {
  const expired = (await itemsOf(client)).filter(
    (item) => Number(item[definition.timeToLive]) * 1000 < scene.outside.now,
  )
  await scene.installation.eye.removeBatch(expired.map(keyIn))
}

/** Actors that are drawn without anything left to do, before all is taken to be done. */
const IDLE_ROUNDS = 24

/** No misfortunes fail a message so often. */
const MOST_RECEIVED = 100

/** The writes that an index may miss. */
const MOST_LAG = 6

/** Every item, in the order of the keys. */
async function itemsOf(client: TableClient): Promise<Item[]> {
  const items: Item[] = []
  let start: Item | undefined
  do {
    const answer = await client.send(new ScanCommand({ TableName: TABLE_NAME, ExclusiveStartKey: start }))
    items.push(...(answer.Items ?? []))
    start = answer.LastEvaluatedKey
  } while (start)
  const name = ({ PK, SK }: Item) => `${PK}\0${SK}`
  return items.sort((one, other) => (name(one) < name(other) ? -1 : 1))
}

const DRAINING: ReadonlySet<Acts> = new Set([
  actors.consumeRecords,
  actors.hangUp,
  actors.fs1Sends,
  actors.relays,
  hostile.sendsToTheSilent,
  files.importsFiles,
])

/** A seed has its own misfortunes: some have none of a kind, and find what the others hide. */
const drawnWeather = (draws: Draws): Weather => ({
  lost: draws.one([0, 30, 100, 400]),
  refused: draws.one([0, 20, 60, 300]),
  killed: draws.one([0, 40, 150, 600]),
  slow: draws.one([0, 25, 100, 400]),
})

const MINUTE_MS = 60_000

const DAY_MS = 1440 * MINUTE_MS

/** Time passes between requests: a minute while nothing runs, a moment while something does. */
const drawnMoment = (draws: Draws, running: number, { slow }: Weather): number => {
  if (running === 0) return draws.onceIn(5) ? draws.below(MINUTE_MS) : 0
  return draws.onceIn(slow) ? draws.below(20_000) : 0
}

/** Minutes, hours or days. */
const drawnPause = (draws: Draws, now: number): number =>
  draws.one(now - BEGIN > LONGEST_MS ? [5, 90] : [5, 90, 1500, 9000, 30_000]) * draws.below(MINUTE_MS)

/** An operator bills a month before it is this old, with what came late. */
const LONGEST_MS = 75 * 86_400_000

function drawnActor(draws: Draws, acting: typeof ACTORS): Acts | undefined {
  let turn = draws.below(acting.reduce((sum, [weight]) => sum + weight, 0))
  return acting.find(([weight]) => {
    turn -= weight
    return turn < 0
  })?.[1]
}

const reallyAsked = (
  client: TableClient,
  really: <T>(work: () => Promise<T>) => Promise<T>,
): TableClient => ({
  send: ((command: never) => really(() => client.send(command) as Promise<unknown>)) as TableClient['send'],
})
