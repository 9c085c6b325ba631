import { readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { secondsOf } from '#lib/domain/calendar.ts'
import { readSettings, settingError } from '#lib/domain/settings.ts'
import { suspendOverdue } from '#lib/ingest/retry-suspended.ts'
import type { Delivery } from '#lib/ingest/suspending.ts'
import type { IntakeWorld } from '#lib/ingest/take-calls.ts'
import { type TakenCounts, takeDocument } from '#lib/ingest/take-document.ts'
import { masterColumns } from '#lib/intake/formats/asterisk-csv.ts'
import { MAPPED_FIELDS } from '#lib/intake/formats/mapped-csv.ts'
import { FORMATS, isFormat } from '#lib/intake/formats.ts'
import { Failure } from '#lib/local/failure.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/** What an operator says about the documents of a switch. */
export interface IngestWish {
  readonly format: string
  readonly source: string | undefined
  readonly zone?: string | undefined
  /** The columns of a CSV without a header, with commas between them. */
  readonly columns?: string | undefined
  /** What cdr.conf switches on for Master.csv, with commas between the names. */
  readonly master?: string | undefined
  /** `FIELD=COLUMN`, for the generic CSV. */
  readonly map?: readonly string[] | undefined
}

/** Settings are as they are now. */
export async function openIntakeWorld(store: Store, now: Date): Promise<IntakeWorld> {
  return { store, settings: readSettings(await findSettings(store)), now: secondsOf(now) }
}

/** The files, one after the other: a line for each. `-` is what comes through a pipe. */
export async function* ingestFiles(
  world: IntakeWorld,
  wish: IngestWish,
  paths: readonly string[],
): AsyncGenerator<string> {
  const delivery = deliveryOf(world, wish)
  for (const path of paths) {
    yield `${path}: ${inWords(await takeDocument(world, delivery, await documentAt(path)))}`
  }
  const overdue = await suspendOverdue(world)
  if (overdue > 0) yield `${overdue} that waited too long for the other end of their call: in suspense`
}

const inWords = ({ stored, known, waiting, suspended }: TakenCounts): string =>
  [
    `${stored} stored`,
    `${known} known already`,
    ...(waiting > 0 ? [`${waiting} wait for the other end of their call`] : []),
    ...(suspended > 0 ? [`${suspended} in suspense (npm run suspense -- list)`] : []),
  ].join(', ')

/** How the documents are delivered. Throws Failure when the words do not say it. */
function deliveryOf({ settings }: IntakeWorld, wish: IngestWish): Delivery {
  const { format, source, zone = settings.Timezone } = wish
  if (!isFormat(format)) {
    throw new Failure(`There is no format ${format}: there are ${Object.keys(FORMATS).join(', ')}`)
  }
  if (!/^[\w-]{1,40}$/.test(source ?? '')) {
    throw new Failure('Say which switch it is: --source NAME, of at most 40 letters, digits, - and _')
  }
  const problem = settingError('Timezone', zone)
  if (problem !== undefined) throw new Failure(`--zone takes the IANA name of a time zone, not ${zone}`)
  const columns = columnsOf(wish)
  return { format, origin: { source: source ?? '', zone, ...(columns && { columns }), ...mappingOf(wish) } }
}

const MASTER_SWITCHES = ['loguniqueid', 'loguserfield', 'newcdrcolumns'] as const

function columnsOf({ columns, master }: IngestWish): string[] | undefined {
  if (master === undefined) return columns?.split(',').map((name) => name.trim())
  const on = master.split(',').map((name) => name.trim())
  const unknown = on.find((name) => !(MASTER_SWITCHES as readonly string[]).includes(name))
  if (unknown !== undefined) throw new Failure(`--master takes some of ${MASTER_SWITCHES.join(', ')}`)
  const [loguniqueid, loguserfield, newcdrcolumns] = MASTER_SWITCHES.map((name) => on.includes(name))
  return masterColumns({
    loguniqueid: loguniqueid ?? false,
    loguserfield: loguserfield ?? false,
    newcdrcolumns: newcdrcolumns ?? false,
  })
}

function mappingOf({ map = [] }: IngestWish): { mapping?: Record<string, string> } {
  const pairs = map.map((pair) => /^(\w+)=(.+)$/.exec(pair) ?? [])
  const isMapping = pairs.every(([, field]) => (MAPPED_FIELDS as readonly string[]).includes(field ?? ''))
  if (!isMapping) throw new Failure(`--map takes FIELD=COLUMN; the fields are ${MAPPED_FIELDS.join(', ')}`)
  return pairs.length === 0
    ? {}
    : { mapping: Object.fromEntries(pairs.map(([, field = '', column = '']) => [field, column])) }
}

const LARGEST_FILE = 100_000_000

async function documentAt(path: string): Promise<string> {
  if (path === '-') return text(process.stdin)
  const { size } = await stat(path).catch(() => missing(path))
  if (size > LARGEST_FILE) {
    throw new Failure(`${path} has more than ${LARGEST_FILE} bytes: cut it between two lines (split -l)`)
  }
  return readFile(path, 'utf8')
}

function missing(path: string): never {
  throw new Failure(`There is no file ${path}`)
}
