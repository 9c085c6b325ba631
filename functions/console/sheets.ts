import { gunzipSync } from 'node:zlib'
import { type SheetAnswer, sheetAnswer } from '#lib/api/console/answers/tariffs.ts'
import {
  changeableTariff,
  planRow,
  refuseMoreRates,
  refuseUnseen,
  writePlan,
} from '#lib/api/console/rate-plan.ts'
import { ConsoleRefusal, invalidValue } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { oneWord, pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { FileRefused } from '#lib/base/row-refused.ts'
import { describeReading, openQuestions } from '#lib/rates/sheets/describe-reading.ts'
import { obstacleToSheet, planSheet, type SheetPlan } from '#lib/rates/sheets/import-sheet.ts'
import { profileOf } from '#lib/rates/sheets/profile.ts'
import { readSheet, type SheetReading } from '#lib/rates/sheets/read-sheet.ts'

const MB = 1_000_000

/** An event of Lambda has room for 4.5 MB. The page packs text, which unpacks to 30 MB at most. */
const MOST_BYTES = 4 * MB
const MOST_UNPACKED_BYTES = 30 * MB

const MOST_REFUSED_ROWS = 50

const yes = oneWord('yes')

const sent = {
  id: pathId,
  /** The answers to the questions, as a profile in JSON. */
  profile: plainText,
  step: oneWord('preview', 'import'),
  compared: wholeNumber,
  acceptRejected: yes,
  allowRemovals: yes,
}

type SheetRequest = ConsoleRequest<typeof sent>

export const resource = defineResource({
  name: 'sheets',
  access: 'records',
  operations: [
    operation('POST', '/tariffs/{id}/sheet', {
      summary:
        'Reads a rate sheet, CSV or .xlsx, plain or packed by gzip, and answers with its questions or with what it changes. The step import, with the version that was compared, also makes a version of it, whole or not at all.',
      callers: ['admin', 'reseller', 'partner'],
      params: sent,
      mostBytes: MOST_BYTES,
      answer: sheetAnswer,
      run: (request) => readOrImport(request).catch(refuseFile),
    }),
  ],
})

export const handler = consoleLambda(resource)

function refuseFile(error: unknown): never {
  throw error instanceof FileRefused ? invalidValue(`${error.message}.`) : error
}

async function readOrImport(request: SheetRequest): Promise<SheetAnswer> {
  const { store, params, clock } = request
  const tariff = await changeableTariff(request)
  const command = `rates import FILE --tariff ${tariff.id}`
  refuseMoreRates(tariff.active?.rows, `Tariff ${tariff.id}`, command)
  const reading = await readSheet(unpacked(request.file), profileOf(params.profile ?? '{}', 'The answers'))
  const questions = openQuestions(reading)
  if (questions.length > 0) return unanswered(reading, questions)
  const plan = await planSheet({ store, tariff, reading, now: clock() })
  refuseMoreRates(plan.lines.length, 'The tariff with this sheet', command)
  const isWritten = params.step === 'import' ? await importPlanned(request, plan) : 'no'
  const { refused, lines } = plan.rates
  return {
    questions: [],
    reading: describeReading(reading),
    refused: refused.length,
    refusedRows: refused.slice(0, MOST_REFUSED_ROWS).map(({ line, reason }) => ({ line, reason })),
    rates: lines.length,
    ending: plan.ending,
    plan: planRow(plan, request),
    isWritten,
  }
}

/** Makes the version, unless something stands against it that nobody has permitted. */
async function importPlanned(request: SheetRequest, plan: SheetPlan): Promise<'written' | 'unchanged'> {
  const { compared, acceptRejected, allowRemovals } = request.params
  refuseUnseen(plan, compared)
  const permitted = {
    acceptRejected: acceptRejected !== undefined,
    allowRemovals: allowRemovals !== undefined,
  }
  const obstacle = await obstacleToSheet(plan, permitted)
  if (obstacle !== undefined) throw new ConsoleRefusal('conflict', OBSTACLES[obstacle])
  return writePlan(plan, request, `imported a rate sheet of ${plan.rates.lines.length} rates into`)
}

const OBSTACLES = {
  'refused rows': 'Some rows of the sheet are refused: agree to leave them out.',
  'no rows': 'The sheet holds no rates.',
  removals: 'The sheet removes many rates: agree to that.',
} as const

const unanswered = (reading: SheetReading, questions: ReturnType<typeof openQuestions>): SheetAnswer => ({
  questions: questions.map(({ words = [], choices, ...question }) => ({
    ...question,
    choices: [...choices],
    words: [...words],
  })),
  reading: reading.questions.length > 0 ? [] : describeReading(reading),
  ...{ refused: 0, refusedRows: [], rates: 0, ending: 0, plan: null, isWritten: 'no' },
})

const GZIP = Buffer.from('1f8b', 'hex')

/** Throws FileRefused for a file that is damaged, or too large when it is unpacked. */
function unpacked(file: Buffer): Uint8Array {
  if (!file.subarray(0, GZIP.length).equals(GZIP)) return file
  try {
    return gunzipSync(file, { maxOutputLength: MOST_UNPACKED_BYTES })
  } catch (error) {
    throw new FileRefused('The sheet is damaged, or has more than 30 MB: run npx tollgate rates import', {
      cause: error,
    })
  }
}
