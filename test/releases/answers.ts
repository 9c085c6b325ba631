import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inflateRawSync } from 'node:zlib'
import { EVERY_DAY } from '#lib/base/calendar.ts'
import { listPendingEvents } from '#lib/cdrs/dialogs/dialog-event.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { deliverToTable } from '#lib/ingest/http/deliver-to-table.ts'
import { intakeEndpoint } from '#lib/ingest/http/intake-endpoint.ts'
import { findSettings } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { exportOf } from '#test/datasets/exported.ts'
import { aContext, anEvent } from '#test/event.ts'
import { type Listing, listingText } from '#tools/command-line/listing.ts'
import { everyItem } from '#tools/command-line/open-table.ts'
import { listAccountRows } from '#tools/commands/account/account.ts'
import { listIntakeRows } from '#tools/commands/intake/intake.ts'
import { reportIn } from '#tools/commands/report/print-report.ts'
import { TOTALS, totalsOf } from '#tools/commands/report/totals.ts'
import { listReratingRows } from '#tools/commands/rerate/rerate-tool.ts'
import { listSettings, listSettingsLogRows } from '#tools/commands/settings/settings-tool.ts'
import { listSuspendedRows, showSuspended } from '#tools/commands/suspense/suspense.ts'
import {
  listTariffDifference,
  listTariffRows,
  listTariffSwitches,
  listTariffVersions,
} from '#tools/commands/tariff/tariff.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { type SentParameters, signedParameters } from '#tools/contracts/signed-call.ts'
import { answerTo } from '#tools/developing/generate.ts'
import { findDamage } from '#tools/integrity/damage.ts'
import { type FixtureTable, linesOfTable, onEmptyTable, putLines } from './fixture-table.ts'

/** A call of a method, or the CDRs that a switch posts. */
export type FixtureRequest =
  | { readonly method: string; readonly params: SentParameters }
  | { readonly intake: string; readonly format: string; readonly secret: string; readonly cdrs: string }

/** A text, cut after its line feeds and between its tags: joined, the pieces are the text. */
type Pieces = readonly string[]

interface Answered {
  readonly request: FixtureRequest
  readonly answer: Pieces
}

/** A change, and the lines of the table that it replaced, removed and wrote. */
interface AnsweredChange extends Answered {
  readonly gone: readonly string[]
  readonly stored: readonly string[]
}

/** The answers about a table. The changes come one after the other, after everything else. */
export interface FixtureAnswers {
  /** The moment of all requests, an ISO date-time. */
  readonly now: string
  readonly reads: readonly Answered[]
  readonly printed: Readonly<Record<string, Pieces>>
  readonly totals: Readonly<Record<string, Pieces>>
  /** The files of an export, and the sentences about what it could not write. */
  readonly exported: Readonly<Record<string, Pieces>>
  readonly warnings: readonly string[]
  readonly damage: readonly string[]
  readonly changes: readonly AnsweredChange[]
  readonly damageAfterChanges: readonly string[]
}

/** The questions that a table is asked. Its answers hold them, too. */
export interface FixtureQuestions {
  readonly now: string
  readonly reads: readonly { readonly request: FixtureRequest }[]
  readonly changes: readonly { readonly request: FixtureRequest }[]
}

/** Puts the lines into an empty table and asks it. */
export const answersOfLines = (
  lines: readonly string[],
  questions: FixtureQuestions,
): Promise<FixtureAnswers> =>
  onEmptyTable(new Date(questions.now), async (table) => {
    await putLines(table, lines)
    return answersOfTable(table, questions)
  })

async function answersOfTable(
  table: FixtureTable,
  { now, reads, changes }: FixtureQuestions,
): Promise<FixtureAnswers> {
  const answeredReads: Answered[] = []
  for (const { request } of reads) answeredReads.push(await answered(table, request))
  const before = {
    now,
    reads: answeredReads,
    printed: inPieces(await printedByCommands(table)),
    totals: await totalsOfTable(table),
    ...(await exportOfTable(table)),
    damage: await damageIn(table, now),
  }
  const answeredChanges: AnsweredChange[] = []
  for (const { request } of changes) answeredChanges.push(await changed(table, request))
  return { ...before, changes: answeredChanges, damageAfterChanges: await damageIn(table, now) }
}

export const answered = async (table: FixtureTable, request: FixtureRequest): Promise<Answered> => ({
  request,
  answer: piecesOf(await ('method' in request ? callMethod(table, request) : postCdrs(table, request))),
})

async function changed(table: FixtureTable, request: FixtureRequest): Promise<AnsweredChange> {
  const before = await linesOfTable(table)
  const answer = await answered(table, request)
  const after = await linesOfTable(table)
  const without = (lines: readonly string[], others: ReadonlySet<string>) =>
    lines.filter((line) => !others.has(line)).map(withoutPacking)
  return {
    ...answer,
    gone: without(before, new Set(after)),
    stored: without(after, new Set(before)),
  }
}

/** A line with packed text as it reads: processors pack the same text into different bytes. */
const withoutPacking = (line: string): string =>
  JSON.stringify(
    JSON.parse(line, (_, value) =>
      typeof value?.B === 'string'
        ? { unpacked: inflateRawSync(Buffer.from(value.B, 'base64')).toString() }
        : value,
    ),
  )

async function callMethod(
  { services, store }: FixtureTable,
  { method: name, params }: Extract<FixtureRequest, { method: string }>,
): Promise<string> {
  const { method } = await findFunctionFile(name)
  const key = String((await findSettings(store))['API_Secret_Key'])
  return answerTo(services, method, signedParameters(method, params, key))
}

async function postCdrs(
  { services }: FixtureTable,
  { intake, format, secret, cdrs }: Extract<FixtureRequest, { intake: string }>,
): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${intake}:${secret}`).toString('base64')}`
  const event = anEvent({ path: `/intake/${format}`, body: cdrs, headers: { authorization } })
  const endpoint = intakeEndpoint(deliverToTable, services)
  const { body } = await endpoint({ ...event, pathParameters: { format } }, aContext())
  return body
}

async function totalsOfTable({ store }: FixtureTable): Promise<FixtureAnswers['totals']> {
  const totals: Record<string, Pieces> = {}
  for (const kind of TOTALS)
    totals[kind] = piecesOf(await text(reportIn('csv', totalsOf(store, kind, EVERY_DAY))))
  return totals
}

async function exportOfTable({ store, ...table }: FixtureTable) {
  const { folder, said } = await exportOf({ store, table, meter: createMeter() })
  const exported: Record<string, Pieces> = {}
  for (const name of (await readdir(folder)).sort())
    exported[name] = piecesOf(await readFile(join(folder, name), 'utf8'))
  await rm(folder, { recursive: true })
  return { exported, warnings: said }
}

const damageIn = ({ store, ...table }: FixtureTable, now: string): Promise<string[]> =>
  Array.fromAsync(findDamage(store, everyItem({ ...table, meter: createMeter() }), new Date(now)))

const inPieces = (texts: Readonly<Record<string, string>>): Record<string, Pieces> =>
  Object.fromEntries(Object.entries(texts).map(([name, whole]) => [name, piecesOf(whole)]))

const piecesOf = (whole: string): Pieces => whole.split(/(?<=\n)|(?<=>)(?=<)/)

/** Commands' output about items that no method reads: logs, tariff versions, suspense, intakes. */
async function printedByCommands({ store, services }: FixtureTable): Promise<Record<string, string>> {
  const mediation = await openMediation(store, services.clock())
  const suspended = await listSuspendedRows(mediation, {})
  const shown: string[] = []
  for await (const { id } of suspended.rows) shown.push(...(await showSuspended(mediation, String(id))).lines)
  return {
    'account list': await csvOf(await listAccountRows(store)),
    'settings list': await csvOf(await listSettings(store)),
    'settings log': await csvOf(await listSettingsLogRows(store)),
    'tariff list': await csvOf(await listTariffRows(store)),
    'tariff versions 1': await csvOf(await listTariffVersions(store, '1')),
    'tariff log 1': await csvOf(await listTariffSwitches(store, '1')),
    'tariff diff 1': await csvOf(await listTariffDifference(store, '1')),
    'rerate log': await csvOf(await listReratingRows(store)),
    'intake list': await csvOf(await listIntakeRows(store)),
    'suspense list': await csvOf(await listSuspendedRows(mediation, {})),
    'suspense show': linesOf(shown),
    'pending dialog events': linesOf(
      (await Array.fromAsync(listPendingEvents(store))).map((event) => JSON.stringify(event)),
    ),
  }
}

const linesOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

const csvOf = (listing: Listing): Promise<string> => text(listingText(listing, 'csv'))
