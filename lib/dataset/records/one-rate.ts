import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { FileRefused } from '#lib/base/row-refused.ts'
import { switchOf } from '#lib/base/text.ts'
import { ratesFile } from '#lib/dataset/files/rates.ts'
import { onlyTable } from '#lib/dataset/format/import-context.ts'
import { listFile } from '#lib/dataset/format/list-file.ts'
import { findLines } from '#lib/rates/prefix-versions.ts'
import { rateColumns } from '#lib/rates/rate-columns.ts'
import { digitsOf, type Rate } from '#lib/rates/rating.ts'
import { findTariff, fromLine, ratesOf } from '#lib/rates/tariff.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { carrying } from '#lib/table/requests/carrying.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import { fieldOf, type RecordField, textOf } from './record-fields.ts'
import type { RecordContext, RecordValues } from './record-kind.ts'
import { FILL_IN, fieldProblem, problemsOfValues } from './record-problems.ts'
import { findRow } from './record-reading.ts'
import type { FieldProblem } from './record-refused.ts'
import { calendarOf, NO_FIELD, refuseRecord } from './records.ts'

/** The columns of a rate, as a form or a command asks for them. */
export const rateFields = (viewer: Pick<RecordContext, 'settings'>): RecordField[] =>
  Object.entries(rateColumns)
    .filter(([name]) => name !== 'tariff_id')
    .map(([name, column]) =>
      fieldOf({ name, column, of: undefined }, textOf(column.blank?.value, column, viewer)),
    )

/** The new version of a tariff. */
export interface RateSet {
  /** Remarks for an operator, such as prefixes that are now sold below cost. */
  readonly remarks: readonly string[]
  /** When the price begins, in the zone of the installation. */
  readonly from: string
  readonly isChanged: boolean
}

/**
 * Sets one price as a new version of a tariff's rates, from `effective_from` or now on. Missing values are
 * the prefix's present ones. Throws RecordRefused, NoSuchRecord, or ConditionFailed after a lost race.
 */
export async function setRate(
  context: RecordContext,
  tariffId: string,
  given: RecordValues,
): Promise<RateSet> {
  const tariff = await findRow(context, 'tariffs', tariffId)
  const fields = rateFields(context)
  const values = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
  refuseRecord(problemsOfRate(context, fields, values))
  const from =
    values['effective_from'] ?? formatDateTime(secondsOf(context.clock()), context.settings.Timezone)
  const present = await presentRate(context, Number(tariffId), values)
  const inherited = Object.entries(rateColumns).map(([name, column]) => {
    const value = present?.[name as keyof Rate] ?? column.blank?.value
    return [name, textOf(value, column, context)] as const
  })
  const cells: RecordValues = {
    ...Object.fromEntries(inherited),
    ...{ ends_at: '', after_end: '' },
    ...values,
    ...{ tariff_id: tariffId, effective_from: from },
  }
  const price = `${cells['prefix']} to ${cells['tariff_rate']} from ${from}`
  const action = `set the rate of ${price} in tariff ${tariffId} ${JSON.stringify(tariff['name'])}`
  const { problems, report } = await importRate(context, cells, context.logged({ action }))
  refuseRecord(problems.map((problem) => fieldProblem(problem, fields, cells, false)))
  return { from, remarks: report?.remarks ?? [], isChanged: (report?.written ?? 0) > 0 }
}

function problemsOfRate(
  context: RecordContext,
  fields: readonly RecordField[],
  values: RecordValues,
): FieldProblem[] {
  const known = new Set(fields.map(({ name }) => name))
  const blank = fields.filter(({ name, isRequired }) => isRequired && values[name] === undefined)
  return [
    ...blank.map(({ name }) => ({ name, message: FILL_IN })),
    ...Object.keys(values)
      .filter((name) => !known.has(name))
      .map((name) => ({ name, message: NO_FIELD })),
    ...problemsOfValues({ columns: rateColumns }, fields, values, calendarOf(context)),
  ]
}

/** The latest rate of exactly this prefix. */
async function presentRate(
  { store }: RecordContext,
  tariffId: number,
  { prefix = '', ...values }: RecordValues,
): Promise<Rate | undefined> {
  const digits = digitsOf(prefix)
  const { active } = (await findTariff(store, tariffId)) ?? {}
  const lines = await findLines(store, ratesOf(tariffId), { version: active }, digits)
  const { origin = '', adds = '' } = values
  const isOfCallers = (rate: Rate) => rate.origin === origin && rate.adds === (switchOf(adds) ?? false)
  const rates = lines.map(fromLine).filter((rate) => rate.prefix === digits && isOfCallers(rate))
  const windows = new Set(rates.map(({ start_time, daytype }) => `${start_time} ${daytype}`))
  if (windows.size > 1 && values['start_time'] === undefined) refuseRecord([BY_THE_HOUR])
  const isWanted = ({ start_time, daytype }: Rate) =>
    start_time === (values['start_time'] ?? start_time) && daytype === (values['daytype'] ?? daytype)
  return rates.filter(isWanted).at(-1)
}

const BY_THE_HOUR: FieldProblem = {
  name: 'start_time',
  message: 'This prefix has prices by the hour: name start_time, end_time and daytype',
}

/** Imports one row of rates.csv beside a tariff's others. The first transaction begins the version. */
async function importRate(context: RecordContext, cells: RecordValues, entry: Change) {
  const { settings, clock, who, owner } = context
  const owned = { check: tariffKey(Number(cells['tariff_id'])), when: { owner_id: is(owner) } }
  const besides = owner === undefined ? [entry] : [entry, owned]
  const store = carrying(context.store, (changes) => changes.length > 1, besides)
  const source = {
    file: 'rates',
    async *rows() {
      yield { line: 1, cells }
    },
  }
  const known = { ...onlyTable(store), settings, clock, calendar: calendarOf(context) }
  const options = { merge: true, allowRemovals: true, who }
  const checked = await listFile(ratesFile).check({ source, context: known, options })
  const problems = checked.problems?.get(1) ?? []
  return { problems, report: problems.length > 0 ? undefined : await checked.write(known).catch(refuseFile) }
}

/** Another import of the tariff came first. */
function refuseFile(error: unknown): never {
  throw error instanceof FileRefused ? new ConditionFailed([], { cause: error }) : error
}
