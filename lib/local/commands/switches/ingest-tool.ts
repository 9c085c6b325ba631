import { readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { type Delivery, isSourceName } from '#lib/ingest/switches/delivery.ts'
import type { IntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { suspendOverdue } from '#lib/ingest/switches/retry-suspended.ts'
import { type TakenCounts, takeDocuments } from '#lib/ingest/switches/take-document.ts'
import { FORMATS, isFormat } from '#lib/intake/formats.ts'
import { Failure } from '#lib/local/failure.ts'
import { type SwitchWish, switchWritesAs } from './switch-wish.ts'

/** What an operator says about the documents of a switch. */
export interface IngestWish extends SwitchWish {
  readonly format: string
  readonly source: string | undefined
}

/** The files, one after the other: a line for each. `-` is what comes through a pipe. */
export async function* ingestFiles(
  world: IntakeWorld,
  wish: IngestWish,
  paths: readonly string[],
): AsyncGenerator<string> {
  const delivery = deliveryOf(world, wish)
  for (const path of paths) {
    yield `${path}: ${inWords(await takeDocuments(world, delivery, [await documentAt(path)]))}`
  }
  const overdue = await suspendOverdue(world)
  if (overdue > 0) yield `${overdue} that waited too long for the other end of their call: in suspense`
}

/** What came of a document's records. */
export const inWords = ({ stored, known, waiting, suspended }: TakenCounts): string =>
  [
    `${stored} stored`,
    `${known} known already`,
    ...(waiting > 0 ? [`${waiting} wait for the other end of their call`] : []),
    ...(suspended > 0 ? [`${suspended} in suspense (npm run suspense -- list)`] : []),
  ].join(', ')

/** How the documents are delivered. Throws Failure when the words do not say it. */
export function deliveryOf({ settings }: IntakeWorld, wish: IngestWish): Delivery {
  const { format, source = '' } = wish
  if (!isFormat(format)) {
    throw new Failure(`There is no format ${format}: there are ${Object.keys(FORMATS).join(', ')}`)
  }
  if (!isSourceName(source)) {
    throw new Failure('Say which switch it is: --source NAME, of at most 40 letters, digits, - and _')
  }
  return { format, origin: { source, zone: settings.Timezone, ...switchWritesAs(wish) } }
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
