import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendersDoor } from '#lib/ingest/doors.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import type { FileStore } from '#lib/ingest/file-store.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { queueConsumer } from '#lib/ingest/queue-consumer.ts'
import { suspendOverdue } from '#lib/mediation/correlate.ts'
import type { FormatName } from '#lib/mediation/formats/cdr.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { reasonsCuredBy, retryBatches } from '#lib/mediation/retry.ts'
import { queueEvent } from '#test/event.ts'
import { rate } from '#test/examples/tariffs.ts'
import { dialogEvent } from '#test/mediation/csv-switch.ts'
import { aMediatedWorld, bring, type MediatedWorld, ZOE } from '#test/mediation/mediated-world.ts'
import { mediateNewLines } from '#tools/commands/follow/follow-file.ts'
import { rerate } from '#tools/commands/rerate/rerate-tool.ts'
import { ingestFiles } from '#tools/commands/switches/ingest-tool.ts'

/** A way of CDRs into the table. */
export interface MediationPath {
  readonly name: string
  /** The installation before the run. */
  readonly begin: () => Promise<MediatedWorld>
  /** Resolves to whether everything is done. A run that resolves to false, or throws, is repeated. */
  readonly run: (place: Workplace) => Promise<boolean>
}

/** A world whose requests may fail, and what a run needs besides. */
export interface Workplace {
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

const throughDoor =
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
    door: sendersDoor,
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
  const wish = { format: 'kamailio-json', source: 'sip1', zone: 'UTC' }
  for await (const _ of ingestFiles(() => openIn(world), wish, [aFileIn(kept, `${EVENTS}\n`)]));
  return true
}

async function runFollow({ world, kept }: Workplace): Promise<boolean> {
  const path = aFileIn(kept, CDRS)
  const empty = { format: 'csv', source: 'gw1', zone: 'UTC', text: '' } as const
  for await (const _ of mediateNewLines({ path, state: `${path}.state`, empty, open: () => openIn(world) }));
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
export const PATHS: readonly MediationPath[] = [
  { name: 'door', begin: after(), run: throughDoor(['csv', CDRS], ['kamailio-json', EVENTS]) },
  { name: 'queue', begin: after(), run: runQueue },
  { name: 'bucket', begin: after(), run: runBucket },
  { name: 'command', begin: after(), run: runCommand },
  { name: 'follow', begin: after(), run: runFollow },
  { name: 'correction', begin: after(['csv', CDRS]), run: throughDoor(['csv', CORRECTED]) },
  { name: 'large CDR', begin: after(), run: throughDoor(['csv', LARGE]) },
  { name: 'retry', begin: withZoe(after(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE])), run: runRetry },
  { name: 'retry of a large CDR', begin: withZoe(after(['csv', LARGE])), run: runRetry },
  {
    name: 'suspended CDRs again',
    begin: withZoe(after(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE])),
    run: throughDoor(['csv', OF_ZOE], ['kamailio-json', EVENTS_OF_ZOE]),
  },
  { name: 're-rating', begin: withDearerRates, run: runRerating },
  { name: 'overdue', begin: withOverdueEvents, run: runOverdue },
]
