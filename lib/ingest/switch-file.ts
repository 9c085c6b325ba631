import { buffer } from 'node:stream/consumers'
import { fileRefused } from '#lib/base/row-refused.ts'
import { isSourceName } from '#lib/cdrs/formats/cdr.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { isCsvFormat, isFormat, partsOfFormat } from '#lib/cdrs/formats/formats.ts'
import { cutDocument } from '#lib/cdrs/formats/parse.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, NOTHING_MEDIATED, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { MAX_SUSPENDED_BYTES, suspendDocument } from '#lib/cdrs/suspense/suspend.ts'
import { decodeText, encodingOf } from '#lib/csv/encoding.ts'
import { unpacked } from '#lib/csv/packed.ts'
import { statedDelimiter } from '#lib/csv/reader.ts'
import { findIntake, writingOf } from '#lib/settings/intake.ts'
import type { Store } from '#lib/table/store.ts'
import type { FileTask } from './file-message.ts'
import { type FileImport, type FileOutcome, readHeader, split } from './import-file.ts'

const PREFIX = 'switches/'

export const isSwitchFile = ({ key }: FileTask): boolean => key.startsWith(PREFIX)

/**
 * Mediates the CDR document `switches/<switch>/<format>/<any name>`. The switch's intake, if any, gives zone,
 * columns and mapping. A large file of rows returns to the queue in parts. A document with a CDR too large
 * for suspense is copied to `rejected/`. Throws refused_file for a key without switch and format.
 */
export async function mediateFile(services: FileImport, task: FileTask): Promise<FileOutcome> {
  const { store, clock, files, partBytes } = services
  const mediation = await openMediation(store, clock())
  const empty = await documentAt(store, task.key)
  if (!task.part && task.size > 2 * partBytes) {
    const isCsv = isCsvFormat(empty.format)
    const beginning = await buffer(await files.read(task, { from: 0, to: SAMPLE_BYTES }))
    const obstacle = isCsv ? obstacleOfCsv(beginning) : obstacleOfJson(beginning.toString(), empty)
    if (obstacle === undefined) return split(services, task, isCsv)
    const object = await reject(services, task)
    const detail = `its ${task.size} bytes ${obstacle}`
    await suspendDocument(mediation, { ...empty, object }, { reason: 'too_large', detail })
    return { outcome: 'mediated', ...NOTHING_MEDIATED, suspended: 1 }
  }
  const document = {
    ...empty,
    text: decodeText(
      await unpacked(
        Buffer.concat([await readHeader(files, task), await buffer(await files.read(task, task.part))]),
        MAX_UNPACKED_BYTES,
      ),
    ),
  }
  const pieces = cutDocument(document, MAX_SUSPENDED_BYTES)
  const isTooLarge = pieces.some((piece) => Buffer.byteLength(piece.text) > MAX_SUSPENDED_BYTES)
  const object = isTooLarge ? await reject(services, task) : undefined
  const documents = pieces.map((piece) => ({ ...piece, object }))
  const report = await mediate(mediation, partsOf(mediation, documents))
  return { outcome: 'mediated', ...report }
}

async function documentAt(store: Store, key: string): Promise<CdrDocument> {
  const [source = '', format = '', ...names] = key.slice(PREFIX.length).split('/')
  if (!isSourceName(source) || !isFormat(format) || names.join('') === '') {
    throw fileRefused(`${key} is not ${PREFIX}<name of a switch>/<format>/<file>`)
  }
  return { ...writingOf((await findIntake(store, source)) ?? {}), format, source, text: '' }
}

const SAMPLE_BYTES = 1_000_000

/** A large file of rows is read in parts, and a packed one at once. */
const MAX_UNPACKED_BYTES = 16_000_000

/** The reason why a CSV file cannot be cut between its lines, by its beginning. */
function obstacleOfCsv(beginning: Buffer): string | undefined {
  const encoding = encodingOf(beginning)
  if (encoding.startsWith('utf-16')) return 'are UTF-16: save it as UTF-8'
  return statedDelimiter(beginning.toString()) ? 'begin with a line sep=: remove that line' : undefined
}

/** A list and an object over several lines are one document, as is a format without parts. */
function obstacleOfJson(beginning: string, { format }: CdrDocument): string | undefined {
  const [first = '', ...others] = beginning.split('\n')
  const isOfLines = others.length > 0 && first.trim().startsWith('{') && first.trim().endsWith('}')
  const of = partsOfFormat(format)
  return of === 'lines' || (of === 'objects' && isOfLines) ? undefined : 'are one document'
}

/** Copies a file to `rejected/`, which nothing imports. Returns the address of the copy. */
async function reject({ files }: FileImport, task: FileTask): Promise<string> {
  const to = `rejected/${task.key}`
  await files.copy(task, to)
  return `s3://${task.bucket}/${to}`
}
