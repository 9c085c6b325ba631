import { listOwnerIds } from '#lib/accounts/account.ts'
import { type Day, type Days, today } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { add, fixed, type Money, niceDigits, subtract } from '#lib/base/money.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { type Ageing, ageingOn } from '#lib/billing/ledger/ageing.ts'
import { accountStatements, MOST_LEDGER_DOCUMENTS } from '#lib/billing/ledger/movements.ts'
import type { Report } from '#lib/calls/report/report.ts'
import { renderedAgeing } from '#lib/invoicing/documents/statement.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { rowsOfThings } from '../../command-line/listing.ts'
import { findAccountNamed, withCustomers } from '../../command-line/named.ts'
import { writePdf } from '../invoices/documents-tool.ts'

export interface AgeingOptions {
  /** The day whose ledger counts; today without it. */
  readonly till: Day | undefined
  readonly now: Date
  /** The ids of the only customers; `undefined` for all. */
  readonly customers: ReadonlySet<number> | undefined
  /** A new file that gets it as a PDF. */
  readonly pdf?: string | undefined
}

type NamedAgeing = Ageing & { readonly customer: string }

/** Lists what each customer owes, by days after the due day, and the sum of each currency. */
export async function ageingReport(
  store: Store,
  { till, now, customers, pdf }: AgeingOptions,
): Promise<Report> {
  const settings = await settingsOf(store)
  const day = till ?? today(now, settings.Timezone)
  const scopes = customers
    ? [...customers].map((user) => ({ user }))
    : (await listOwnerIds(store)).map((owner) => ({ owner }))
  const found: Ageing[] = []
  for (const scope of scopes) found.push(...((await ageingOn(store, settings, scope, { day })) ?? []))
  const owing = sumsOfSellers(found)
  if (pdf !== undefined)
    await writePdf(pdf, await renderedAgeing({ store, settings }, ADMIN_ACCOUNT, day, owing))
  const listed = withCustomers(store, [owing])
  const rows = (await Array.fromAsync(listed)).sort((one, other) => ascending(placeOf(one), placeOf(other)))
  const print = (amount: Money) => fixed(amount, niceDigits(settings))
  return {
    title: `Owed on ${day}, with VAT`,
    ...rowsOfThings([...rows, ...sumsOfCurrencies(rows)], {
      customer: 'text',
      currency: 'text',
      owed: ['number', ({ owed }) => print(owed)],
      not_due: ['number', ({ ages }) => print(ages.not_due)],
      '1_30': ['number', ({ ages }) => print(ages['1_30'])],
      '31_60': ['number', ({ ages }) => print(ages['31_60'])],
      '61_90': ['number', ({ ages }) => print(ages['61_90'])],
      over_90: ['number', ({ ages }) => print(ages.over_90)],
      unassigned: ['number', ({ unassigned }) => print(unassigned)],
    }),
  }
}

const placeOf = ({ customer, currency }: NamedAgeing): string => `${customer}\0${currency}`

function sumOf<A extends Ageing>(all: readonly A[]): A {
  const [first] = all as readonly [A]
  const sum = (amountOf: (one: Ageing) => Money) => add('0', ...all.map(amountOf))
  const [owed, open] = [sum((one) => one.owed), sum((one) => one.open)]
  const ages = Object.fromEntries(
    Object.keys(first.ages).map((age) => [age, sum((one) => one.ages[age as keyof Ageing['ages']])]),
  ) as Ageing['ages']
  return { ...first, owed, open, unassigned: subtract(open, owed), ages }
}

/** A customer who has moved owes two sellers. */
const sumsOfSellers = (all: readonly Ageing[]): Ageing[] =>
  [...Map.groupBy(all, ({ user_id, currency }) => `${user_id} ${currency}`).values()].map(sumOf)

/** A row without a customer is the sum of its currency. */
const sumsOfCurrencies = (rows: readonly NamedAgeing[]): NamedAgeing[] =>
  [...Map.groupBy(rows, ({ currency }) => currency).values()]
    .map((all) => ({ ...sumOf(all), customer: '' }))
    .sort((one, other) => ascending(one.currency, other.currency))

/** Lists what was owed before a period, each entry of it with the sum after it, and what is owed then. */
export async function statementReport(store: Store, word: string, days: Days): Promise<Report> {
  const settings = await settingsOf(store)
  const { id, username } = await findAccountNamed(store, word)
  const statements = await accountStatements(store, settings, { user: id }, days)
  if (!statements)
    throw new CommandError(
      `${username} has more than ${MOST_LEDGER_DOCUMENTS} documents: npx tollgate export FOLDER writes them all`,
    )
  const print = (amount: Money) => fixed(amount, niceDigits(settings))
  const rows = statements.flatMap(({ currency, opening, entries, closing }) => [
    { day: days.from, kind: 'opening', number: '', currency, amount: '', owed: print(opening) },
    ...entries.map(({ day, kind, number, owed, after }) => ({
      ...{ day, kind: kind.replaceAll('_', ' '), number, currency },
      ...{ amount: print(owed), owed: print(after) },
    })),
    { day: days.till, kind: 'closing', number: '', currency, amount: '', owed: print(closing) },
  ])
  return {
    title: `Statement of ${username}, ${days.from} to ${days.till}, with VAT`,
    ...rowsOfThings(rows, {
      ...{ day: 'text', kind: 'text', number: 'text', currency: 'text', amount: 'number', owed: 'number' },
    }),
  }
}
