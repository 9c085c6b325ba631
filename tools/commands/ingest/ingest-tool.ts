import { readFile, stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { isRefusal } from '#lib/base/refusal.ts'
import { countOf, escapeControls } from '#lib/base/text.ts'
import { describeOldest } from '#lib/calls/rating/price-changes.ts'
import { isSourceName, SKIPPED } from '#lib/cdrs/formats/cdr.ts'
import { readRows } from '#lib/cdrs/formats/csv-rows.ts'
import { shellQuoted } from '#lib/cdrs/formats/fields.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { FORMAT_NAMES, isCsvFormat, isFormat } from '#lib/cdrs/formats/formats.ts'
import { mappedRows } from '#lib/cdrs/formats/mapped-csv.ts'
import { isKnownSource } from '#lib/cdrs/matching/identity-kinds.ts'
import { hasId, type MediationContext, type Part } from '#lib/cdrs/mediation.ts'
import { type MediationReport, mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { enforceAgeLimits } from '#lib/cdrs/pipeline/retry.ts'
import { refuseSecondSource } from '#lib/cdrs/switches/intake-acts.ts'
import { decodeText } from '#lib/csv/encoding.ts'
import { unpacked } from '#lib/csv/packed.ts'
import { UNRATED_FORMS } from '#lib/rates/rating.ts'
import type { Store } from '#lib/table/store.ts'
import { isAskedAgain, questionOf, refusedCommand } from '../../command-line/remedies.ts'
import { agreesTo, CommandError, usageError } from '../../machine/terminal.ts'
import { describedBy, type SwitchOptions } from './switch-options.ts'

/** The operator's description of a switch and its CDR documents. */
export interface IngestOptions extends SwitchOptions {
  readonly format: string
  readonly source: string | undefined
  /** Also mediates a file whose first CDRs cannot be read. */
  readonly force?: boolean | undefined
  /** Also mediates the last line of a file that has just been written, if it has no line end. */
  readonly complete?: boolean | undefined
  /** Also mediates a new source without unique ids when another source exists. */
  readonly yes?: boolean | undefined
}

/**
 * Mediates files one by one, each at its own time, yielding a line for each, and below it the commonest
 * reasons of suspended CDRs. `-` is standard input. Returns whether every CDR was suspended.
 */
export async function* ingestFiles(
  open: () => Promise<MediationContext>,
  options: IngestOptions,
  paths: readonly string[],
): AsyncGenerator<string, boolean> {
  const empty = emptyDocument(options)
  let [suspended, others] = [0, 0]
  for (const path of paths) {
    const { text, remark } = wholeLines(await textAt(path), empty, options)
    const document = { ...empty, text, object: path }
    const reasons = new Map<string, number>()
    const mediation = await open()
    const newlyNoted = pricesNoted(mediation.store)
    await refuseOrAsk(mediation, document, options)
    const zero = { count: 0 }
    const documents = text === '' && remark ? [] : [document]
    const parts = countingZeroSeconds(partsOf(mediation, documents), zero)
    const report = await mediate(mediation, parts, (refused) => {
      for (const { problem } of refused) {
        const words = `${problem.reason}: ${problem.detail}`
        reasons.set(words, (reasons.get(words) ?? 0) + 1)
      }
    })
    yield `${path}: ${describeReport(report)}`
    yield* describeReasons(reasons)
    if (remark) yield `  ${remark}`
    yield* remarksOn(document, zero.count)
    yield* newlyNoted()
    suspended += report.suspended
    others += report.stored + report.duplicate + report.corrected + report.pending
  }
  const { overdue } = await enforceAgeLimits(await open())
  if (overdue > 0) yield `${countOf(overdue, 'dialog event')} without their counterpart suspended`
  return suspended > 0 && others === 0
}

async function refuseOrAsk(
  mediation: MediationContext,
  document: CdrDocument,
  { force, yes }: IngestOptions,
) {
  if (!force) refuseUnreadable(mediation, document)
  if (!yes && lacksIds(mediation, document)) await askAboutSecondSource(mediation.store, document.source)
}

/** One of its first CDRs has no unique id. */
function lacksIds(mediation: MediationContext, document: CdrDocument): boolean {
  let read = 0
  for (const { found } of partsOf(mediation, [document])) {
    if (found.kind === 'cdr' && !hasId(found.cdr.uniqueid)) return true
    read += 1
    if (read >= FIRST_CDRS) return false
  }
  return false
}

/** Asks about a new source if there is a switch without unique ids. Throws CommandError off a terminal. */
async function askAboutSecondSource(store: Store, source: string): Promise<void> {
  if (await isKnownSource(store, source)) return
  try {
    await refuseSecondSource(store, source)
  } catch (error) {
    if (!isAskedAgain(error)) throw error
    if (!process.stdin.isTTY || !(await agreesTo(questionOf(error)))) throw refusedCommand(error)
  }
}

/** The switch may still be writing to a file that has changed within this time. */
const WRITTEN_MS = 60_000

/** The text without the last line of a file that a switch may still be writing, and what to say of it. */
function wholeLines(
  { text, changedMs }: FileText,
  { format }: CdrDocument,
  { complete = false }: IngestOptions,
): { readonly text: string; readonly remark?: string } {
  const isRows = isCsvFormat(format) || format === 'opensips-log'
  const isEnded = isRows ? /[\r\n]$/.test(text) : format === 'freeswitch-xml' || /[}\]]\s*$/.test(text)
  if (complete || isEnded || text === '') return { text }
  if (changedMs === undefined || Date.now() - changedMs > WRITTEN_MS) return { text, remark: NO_LINE_END }
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
  return { text: text.slice(0, end), remark: HELD_BACK }
}

const NO_LINE_END =
  'the last line has no line end: if the switch was writing it, mediate the whole file again, which corrects the call'
const HELD_BACK =
  'the last line has no line end yet and is held back: mediate the file again when it is written, or pass --complete'

/** Counts the answered calls without a second: they are stored, and cost no minute. */
function* countingZeroSeconds(parts: Iterable<Part>, zero: { count: number }): Generator<Part> {
  for (const part of parts) {
    const { found } = part
    const isZero = found.kind === 'cdr' && found.cdr.disposition === 'ANSWERED' && found.cdr.billsec === 0
    if (isZero) zero.count += 1
    yield part
  }
}

/** Warnings about a file whose CDRs could be read. */
function* remarksOn(document: CdrDocument, zeroSeconds: number): Generator<string> {
  if (zeroSeconds > 0) yield `  ${countOf(zeroSeconds, 'answered call')} of 0 seconds`
  const legs = legColumnOf(document)
  if (!legs) return
  const values = legs.values.map((value) => escapeControls(JSON.stringify(value))).join(', ')
  yield `  the column ${legs.column} has ${values}: if a call has a row for each, choose the rows to bill, such as --where ${shellQuoted(`${legs.column}=${legs.values[0] ?? ''}`)}`
}

/** With this number of unreadable CDRs at its beginning, a file is another one or was described wrongly. */
const FIRST_CDRS = 20

/** Throws CommandError if none of a document's first CDRs is readable: all would be suspended. */
export function refuseUnreadable(mediation: MediationContext, document: CdrDocument): void {
  const problems: string[] = []
  for (const { found } of partsOf(mediation, [document])) {
    if (found.kind !== 'problem' || found.reason !== 'unreadable') return
    problems.push(found.detail)
    if (problems.length < FIRST_CDRS) continue
    const { format, object } = document
    throw new CommandError(
      `${object}: none of its first ${FIRST_CDRS} CDRs can be read as ${format} (${problems[0]}): correct the format or the options, or pass --force to suspend them`,
    )
  }
}

const SHOWN_REASONS = 3

function describeReasons(reasons: ReadonlyMap<string, number>): string[] {
  const commonest = [...reasons].sort(([, one], [, other]) => other - one)
  const more = commonest.length - SHOWN_REASONS
  return [
    ...commonest.slice(0, SHOWN_REASONS).map(([words, count]) => `  ${count} ${escapeControls(words)}`),
    ...(more > 0 ? [`  and ${countOf(more, 'other reason')}`] : []),
  ]
}

/** Returns a function that reports what was noted of the prices of calls since it was last called. */
function pricesNoted({ meter }: Pick<Store, 'meter'>): () => string[] {
  let before = { ...meter.noted }
  return () => {
    const [earlier, now] = [before, { ...meter.noted }]
    before = now
    const since = (what: keyof typeof now) => (now[what] ?? 0) - (earlier[what] ?? 0)
    const unpriced = UNRATED_FORMS.map((reason) => [since(`unpriced_${reason}`), reason] as const)
    const counts = unpriced.flatMap(([count, reason]) => (count > 0 ? [`${count} ${reason}`] : []))
    const all = countOf(
      unpriced.reduce((sum, [count]) => sum + count, 0),
      'answered call',
    )
    return [
      ...(counts.length > 0
        ? [`  ${all} without a price: ${counts.join(', ')} (npx tollgate report free-calls)`]
        : []),
      ...describeOldest(since('oldest_version')).map((line) => `  ${line}`),
    ]
  }
}

export const describeReport = (report: MediationReport): string =>
  [
    `${report.stored} stored`,
    countOf(report.duplicate, 'duplicate'),
    ...(report.corrected > 0 ? [`${report.corrected} corrected`] : []),
    ...(report.pending > 0 ? [`${report.pending} pending`] : []),
    ...(report.suspended > 0 ? [`${report.suspended} suspended (npx tollgate suspense list)`] : []),
    ...(report.skipped > 0 ? [`${report.skipped} skipped`] : []),
  ].join(', ')

/** A CDR document without text. Throws CommandError for an unknown format or a malformed switch name. */
export function emptyDocument(options: IngestOptions): CdrDocument {
  const { format, source = '' } = options
  if (!isFormat(format)) {
    throw usageError(`The format ${format} is unknown: use one of ${FORMAT_NAMES.join(', ')}`)
  }
  if (!isSourceName(source)) {
    throw usageError(
      `--source "${source}" is missing or malformed: name the switch with at most 40 letters, digits, - and _`,
    )
  }
  return { format, source, zone: '', ...describedBy(options), text: '' }
}

const MAX_FILE_BYTES = 100_000_000

interface FileText {
  readonly text: string
  /** The last change, in milliseconds since 1970; `undefined` for standard input. */
  readonly changedMs?: number
}

async function textAt(path: string): Promise<FileText> {
  if (path === '-') return { text: await textIn(path, await buffer(process.stdin)) }
  const { size, isFolder, mtimeMs } = await stat(path).then(
    (found) => ({ size: found.size, isFolder: found.isDirectory(), mtimeMs: found.mtimeMs }),
    () => missing(path),
  )
  if (isFolder) throw new CommandError(`${path} is a folder: name its files, such as ${path}/*.csv`)
  if (size > MAX_FILE_BYTES) {
    throw new CommandError(
      `${path} has ${size} bytes, at most ${MAX_FILE_BYTES}: split it between two lines (split -l)`,
    )
  }
  return { text: await textIn(path, await readFile(path)), changedMs: mtimeMs }
}

/** The text of a file that may be packed. Throws CommandError for one that cannot be unpacked here. */
async function textIn(path: string, bytes: Uint8Array): Promise<string> {
  try {
    return decodeText(await unpacked(bytes, MAX_FILE_BYTES))
  } catch (error) {
    if (!isRefusal(error, 'refused_file')) throw error
    throw new CommandError(`${path}: ${error.message}`)
  }
}

function missing(path: string): never {
  throw new CommandError(`There is no file ${path}`)
}

/** The names of columns that often distinguish the legs of one call. */
const LEG_COLUMN = /^(?:call|cdr)?[ _-]?(?:direction|leg)(?:[ _-]?(?:type|name|no))?$/i

const MAX_ROWS = 200
const MAX_VALUES = 3

/**
 * A column that seems to distinguish the legs of a call, with its values in the first rows. `undefined` if
 * there is none, or if the source chooses rows.
 */
function legColumnOf(
  document: CdrDocument,
): { readonly column: string; readonly values: readonly string[] } | undefined {
  if (document.format !== 'csv' || document.where) return undefined
  let column: string | undefined
  const values = new Set<string>()
  const rows = readRows(document, mappedRows(document), (field, columns) => {
    column ??= columns.find((name) => LEG_COLUMN.test(name))
    if (column !== undefined && field(column) !== '') values.add(field(column))
    return SKIPPED
  })
  for (let count = 0; count < MAX_ROWS && !rows.next().done; count += 1);
  return column === undefined ? undefined : { column, values: [...values].slice(0, MAX_VALUES) }
}
