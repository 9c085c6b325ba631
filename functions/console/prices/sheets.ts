import { gunzipSync } from 'node:zlib'
import { carryOutHere } from '#lib/api/console/act-operation.ts'
import type { MarkupAnswer, OriginsPlanAnswer, SheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import { askedQuestion } from '#lib/api/console/file-content.ts'
import { forbidden, invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { ratesThatDiffer } from '#lib/api/console/tariff-changes.ts'
import { mayChangeTariff, rateRow, visibleTariff } from '#lib/api/console/tariff-rows.ts'
import { amountFromZero, oneWord, pathId, plainText, wholeNumber, yesValue } from '#lib/api/console/values.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { ZERO } from '#lib/base/money.ts'
import { Refusal, type Refusals } from '#lib/base/refusal.ts'
import { fileRefused } from '#lib/base/row-refused.ts'
import { escapeControls } from '#lib/base/text.ts'
import { describeCallers } from '#lib/calls/rating/callers-shown.ts'
import { importSheetAct, markUpAct, setOriginsAct } from '#lib/rates/acts/write-rates.ts'
import { planMarkup } from '#lib/rates/markup.ts'
import { readOriginLists } from '#lib/rates/origins/origin-lists.ts'
import { planOrigins } from '#lib/rates/origins/origin-plan.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import type { PlannedLines, TariffPlan } from '#lib/rates/replacement.ts'
import { describeReading, openQuestions } from '#lib/rates/sheets/describe-reading.ts'
import { planSheet } from '#lib/rates/sheets/import-sheet.ts'
import { findKeptProfile, profileOf } from '#lib/rates/sheets/profile.ts'
import { isQuestions } from '#lib/rates/sheets/question.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'
import type { Tariff } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'

const MB = 1_000_000

/** An event of Lambda has room for 4.5 MB. The page packs text, which unpacks to 30 MB at most. */
const MOST_BYTES = 4 * MB
const MOST_UNPACKED_BYTES = 30 * MB

const MOST_REFUSED_ROWS = 50
const MOST_ORIGINS = 50

const sent = {
  id: pathId,
  /** The answers to the questions, as a profile in JSON; by default that of the tariff's last sheet. */
  profile: plainText,
  step: oneWord('preview', 'import'),
  compared: wholeNumber,
  acceptRejected: yesValue,
  allowRemovals: yesValue,
  withGaps: yesValue,
}

const MOST_DECIMALS = 10

const marked = {
  id: pathId,
  /** The tariff whose rates are the costs. */
  from: wholeNumber,
  percent: amountFromZero,
  amount: amountFromZero,
  least: amountFromZero,
  decimals: wholeNumber,
  prefix: plainText,
  mode: oneWord('merge', 'replace'),
  step: oneWord('preview', 'write'),
  compared: wholeNumber,
  allowRemovals: yesValue,
}

const listedOrigins = {
  id: pathId,
  mode: oneWord('merge', 'replace'),
  step: oneWord('preview', 'write'),
  compared: wholeNumber,
}

export const resource = defineResource({
  name: 'sheets',
  access: 'records',
  operations: [
    operation('POST', '/tariffs/{id}/sheet', {
      summary:
        'Reads a rate sheet, CSV or .xlsx, plain or packed by gzip, and answers with its questions or with what it changes. The step import, with the version that was compared, also makes a version of it, whole or not at all.',
      callers: OWNERS,
      params: sent,
      mostBytes: MOST_BYTES,
      run: (request) => readOrImport(request),
    }),
    operation('POST', '/tariffs/{id}/markup', {
      summary:
        'The rates of a tariff from the costs in another one: percent and amount on top, a least margin, rounded up to 4 decimals, for one prefix or all. The step write, with the version that was compared, also makes a version of them.',
      callers: OWNERS,
      params: marked,
      run: (request) => planOrMark(request),
    }),
    operation('POST', '/tariffs/{id}/origins', {
      summary:
        'Reads lists of callers, a file with the columns Origin and Prefix, and answers with what they change in the origins of a tariff. They replace origins of their names, or with the mode replace all. The step write, with the version that was compared, also makes a version of the tariff.',
      callers: OWNERS,
      params: listedOrigins,
      mostBytes: MOST_BYTES,
      run: (request) => planOrSetOrigins(request),
    }),
  ],
})

export const handler = consoleLambda(resource)

async function readOrImport(request: ConsoleRequest<typeof sent>): Promise<SheetAnswer> {
  const { store, params, clock } = request
  const tariff = await changeableTariff(request)
  const atTerminal = { task: 'import_sheet', of: String(tariff.id) } as const
  refuseMoreRates(tariff.active?.rows, `Tariff ${tariff.id}`, atTerminal)
  const kept = params.profile === undefined ? await findKeptProfile(store, tariff.id) : undefined
  const profile = kept ?? profileOf(params.profile ?? '{}', 'The profile')
  const reading = await readSheet(unpacked(request.file), profile)
  const readBy = { profile: JSON.stringify(profile), isKept: kept !== undefined }
  const questions = openQuestions(reading)
  if (questions.length > 0) return { ...unanswered(reading, questions), ...readBy }
  const plan = await planSheet({ store, tariff, reading, now: clock() })
  if (isQuestions(plan)) return { ...unanswered(reading, plan), ...readBy }
  refuseMoreRates(plan.lines.length, 'The tariff with this sheet', atTerminal)
  const act = importSheetAct(plan, reading.profile)
  const isWritten = params.step === 'import' ? await written(request, act) : 'no'
  const { refused, lines } = plan.rates
  return {
    ...readBy,
    questions: [],
    reading: describeReading(reading).map(escapeControls),
    refused: refused.length,
    refusedRows: refused.slice(0, MOST_REFUSED_ROWS).map(({ line, reason }) => ({ line, reason })),
    rates: lines.length,
    ending: plan.ending,
    byOrigin: plan.byOrigin.slice(0, MOST_ORIGINS).map((rate) => rateRow(rate, request.settings)),
    plan: { ...(await planRow(plan, request)), gaps: plan.gaps ?? null },
    isWritten,
  }
}

const unanswered = (reading: SheetReading, questions: ReturnType<typeof openQuestions>) => ({
  questions: questions.map(askedQuestion),
  reading: reading.questions.length > 0 ? [] : describeReading(reading).map(escapeControls),
  ...{ refused: 0, refusedRows: [], rates: 0, ending: 0, byOrigin: [], plan: null, isWritten: 'no' as const },
})

async function planOrMark(request: ConsoleRequest<typeof marked>): Promise<MarkupAnswer> {
  const { store, clock, params } = request
  const { from, percent = ZERO, amount = ZERO, least = ZERO, decimals = 4, prefix = '' } = params
  const tariff = await changeableTariff(request)
  if (from === undefined) throw invalidValue('from is missing: name the tariff whose rates are the costs')
  if (decimals > MOST_DECIMALS) throw invalidValue(`decimals is ${decimals}: it takes 0 to ${MOST_DECIMALS}`)
  const cost = await visibleTariff({ ...request, params: { id: from } })
  for (const one of [tariff, cost])
    refuseMoreRates(one.active?.rows, `Tariff ${one.id}`, {
      task: 'mark_up',
      of: `${tariff.id} ${from}`,
    })
  const markup = { percent, amount, least, decimals, prefix: digitsOf(prefix) }
  const isWhole = params.mode === 'replace'
  const plan = await planMarkup({ store, tariff, cost, markup, isWhole, now: clock() })
  const isWritten = params.step === 'write' ? await written(request, markUpAct(plan, cost)) : 'no'
  return { rates: plan.rates, plan: await planRow(plan, request), isWritten }
}

async function planOrSetOrigins(request: ConsoleRequest<typeof listedOrigins>): Promise<OriginsPlanAnswer> {
  const { store, clock, params } = request
  const tariff = await changeableTariff(request)
  refuseMoreRates(tariff.active?.rows, `Tariff ${tariff.id}`, { task: 'import_origins', of: '' })
  const listed = await readOriginLists(unpacked(request.file))
  const isWhole = params.mode === 'replace'
  const plan = await planOrigins({ store, tariff, listed, isWhole, now: clock() })
  const isWritten = params.step === 'write' ? await written(request, setOriginsAct(plan)) : 'no'
  return { plan: { ...(await planRow(plan, request)), summary: plan.summary }, isWritten }
}

/** Makes a version of rates that the person has seen compared. */
async function written(
  request: Pick<ConsoleRequest, 'raw'> & ConsoleRequest,
  act: ReturnType<typeof markUpAct>,
): Promise<'written' | 'unchanged'> {
  const { compared = '0', acceptRejected, allowRemovals, withGaps } = request.raw
  const given = { compared, acceptRejected, allowRemovals, withGaps }
  return (await carryOutHere(request, act, given)).answer.isWritten
}

const GZIP = Buffer.from('1f8b', 'hex')

/** Throws refused_file for a file that is damaged, or too large when it is unpacked. */
function unpacked(file: Buffer): Uint8Array {
  if (!file.subarray(0, GZIP.length).equals(GZIP)) return file
  try {
    return gunzipSync(file, { maxOutputLength: MOST_UNPACKED_BYTES })
  } catch (error) {
    throw fileRefused('The sheet is damaged, or has more than 30 MB: import it at a terminal', {
      cause: error,
    })
  }
}

/** A request lasts 29 seconds at most. The command has no such limit. */
const MOST_PLANNED_RATES = 100_000

/** New rates of a tariff that a request plans, and may write. */
type RatePlan = TariffPlan & PlannedLines & { readonly before: Iterable<string> }

/** The tariff of a path, if the account of the session may change it. */
async function changeableTariff(request: Parameters<typeof visibleTariff>[0]): Promise<Tariff> {
  const tariff = await visibleTariff(request)
  if (!mayChangeTariff(request.caller, tariff))
    throw forbidden(`Tariff ${tariff.id} belongs to another account`)
  return tariff
}

function refuseMoreRates(
  rates: number | undefined,
  what: string,
  atTerminal: Pick<Refusals['too_many_rates'], 'task' | 'of'>,
): void {
  if (rates !== undefined && rates > MOST_PLANNED_RATES)
    throw new Refusal('too_many_rates', { what, most: MOST_PLANNED_RATES, ...atTerminal })
}

const planRow = async (
  { tariff, ...plan }: RatePlan,
  { store, settings, clock }: Pick<ConsoleRequest, 'store' | 'settings' | 'clock'>,
) => ({
  ...ratesThatDiffer(plan.before, plan.lines, settings),
  currency: tariff.currency || settings.Default_Currency,
  summary: describeChange(plan.change),
  customers: plan.customers,
  warnings: [...plan.warnings, ...(await describeCallers(store, plan.lines, clock()))],
  removals: plan.removals ?? null,
  gaps: null,
  compared: tariff.active?.version ?? null,
})
