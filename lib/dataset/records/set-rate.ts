import { type Act, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { Inputs } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { ValueProblem } from '#lib/base/refusals/value-sentences.ts'
import { switchOf } from '#lib/base/text.ts'
import { ratesFile } from '#lib/dataset/files/rates.ts'
import { onlyTable } from '#lib/dataset/format/import-context.ts'
import { planOneList } from '#lib/dataset/format/list-file.ts'
import { tariffInput, tariffStays } from '#lib/rates/acts/tariff-input.ts'
import { findLines } from '#lib/rates/prefix-versions.ts'
import { rateColumns } from '#lib/rates/rate-columns.ts'
import { digitsOf, type Rate } from '#lib/rates/rating.ts'
import { fromLine, ratesOf, type Tariff } from '#lib/rates/tariff.ts'
import { preparedLines } from '#lib/rates/version-replacement.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { calendarOf, problemOf, problemsOfValues, refuseValues } from './record-acts.ts'
import { fieldOf, type RecordField, textOf } from './record-fields.ts'
import { columnInput, valuesOf } from './record-inputs.ts'
import { type RecordValues, recordContext } from './record-kind.ts'

/** The columns of a rate, as a form or a command asks for them. */
const rateFields = (viewer: Pick<ActContext, 'settings'>): RecordField[] =>
  Object.entries(rateColumns)
    .filter(([name]) => name !== 'tariff_id')
    .map(([name, column]) =>
      fieldOf({ name, column, of: undefined }, textOf(column.blank?.value, column, viewer)),
    )

/** The new version of a tariff. */
export interface RateSet {
  readonly id: number
  /** When the price begins, in the zone of the installation. */
  readonly from: string
  readonly isChanged: boolean
}

const asked = rateFields({ settings: readSettings({}) }).map((field) => [field.name, columnInput(field)])

/**
 * One price is a new version of a tariff's rates, from `effective_from` or now on. Missing values are the
 * prefix's present ones.
 */
export const setRate: Act<Inputs, RateSet> = defineAct<Inputs, RateSet>({
  summary: 'Set the price of a minute to a prefix; what is not given is as in its present rate',
  callers: OWNERS,
  input: { id: tariffInput('the tariff'), ...Object.fromEntries(asked) },
  run: async (context, { id, ...input }) => {
    const { store, settings, now: at, actor } = context
    const tariff = id as Tariff
    const fields = rateFields(context)
    const values = Object.fromEntries(Object.entries(valuesOf(input)).filter(([, text]) => text !== ''))
    refuseValues(problemsOfRate(context, fields, values))
    const from = values['effective_from'] ?? formatDateTime(secondsOf(at), settings.Timezone)
    const cells = await cellsOf(context, tariff, { ...values, effective_from: from })
    const calendar = calendarOf(recordContext(context))
    const { problems, plan } = await planOneList(ratesFile, {
      source: {
        file: 'rates',
        rows: async function* rows() {
          yield { line: 1, cells }
        },
      },
      context: { ...onlyTable(store), settings, clock: () => at, calendar },
      options: { merge: true, allowRemovals: true },
    })
    refuseValues(problems.map((problem) => problemOf(problem, fields, cells)))
    if (plan?.obstacle !== undefined)
      throw new Refusal('unfit_rates', { tariff: tariff.id, says: plan.obstacle })
    const { remarks = [], lists, madeFrom } = plan ?? {}
    const written =
      lists &&
      (await preparedLines(store, ratesOf(tariff.id), { ...lists, madeFrom, at, who: actor.username }))
    const answer = { id: tariff.id, from, isChanged: written !== undefined }
    if (!written) return { answer }
    const price = `${cells['prefix']} to ${cells['tariff_rate']} from ${from}`
    return {
      changes: [...written.changes, ...tariffStays(context, tariff)],
      afterwards: written.afterwards,
      answer,
      log: { action: `set the rate of ${price} in tariff ${tariff.id} ${JSON.stringify(tariff.name)}` },
      remarks,
    }
  },
})

function problemsOfRate(
  context: ActContext,
  fields: readonly RecordField[],
  values: RecordValues,
): ValueProblem[] {
  const blank = fields.filter(({ name, isRequired }) => isRequired && values[name] === undefined)
  return [
    ...blank.map(({ name }) => problemOf({ code: 'blank', field: name, values: {} }, fields, values)),
    ...problemsOfValues({ columns: rateColumns }, fields, values, recordContext(context)),
  ]
}

/** The cells of the new rate: what is given, and otherwise the values of the present one. */
async function cellsOf(context: ActContext, tariff: Tariff, values: RecordValues): Promise<RecordValues> {
  const present = await presentRate(context, tariff, values)
  const inherited = Object.entries(rateColumns).map(([name, column]) => {
    const value = present?.[name as keyof Rate] ?? column.blank?.value
    return [name, textOf(value, column, context)] as const
  })
  return {
    ...Object.fromEntries(inherited),
    ...{ ends_at: '', after_end: '' },
    ...values,
    tariff_id: String(tariff.id),
  }
}

/** The latest rate of exactly this prefix. */
async function presentRate(
  { store }: ActContext,
  { id, active }: Tariff,
  { prefix = '', ...values }: RecordValues,
): Promise<Rate | undefined> {
  const digits = digitsOf(prefix)
  const lines = await findLines(store, ratesOf(id), { version: active }, digits)
  const { origin = '', adds = '' } = values
  const isOfCallers = (rate: Rate) => rate.origin === origin && rate.adds === (switchOf(adds) ?? false)
  const rates = lines.map(fromLine).filter((rate) => rate.prefix === digits && isOfCallers(rate))
  const windows = new Set(rates.map(({ start_time, daytype }) => `${start_time} ${daytype}`))
  if (windows.size > 1 && values['start_time'] === undefined)
    refuseValues([{ name: 'start_time', problem: BY_THE_HOUR }])
  const isWanted = ({ start_time, daytype }: Rate) =>
    start_time === (values['start_time'] ?? start_time) && daytype === (values['daytype'] ?? daytype)
  return rates.filter(isWanted).at(-1)
}

const BY_THE_HOUR = 'This prefix has prices by the hour: name start_time, end_time and daytype'
