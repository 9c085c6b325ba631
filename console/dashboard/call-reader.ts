import { type Money, ZERO } from '#lib/domain/money.ts'

/** The account whose revenue and cost are counted. Accounts that do not see both have none. */
export type MoneyOf = 'admin' | 'owner' | 'none'

/** The values of a call that the dashboard counts. */
export interface ReadCall {
  /** `YYYY-MM-DD HH:MM:SS`, in the installation's time zone. */
  readonly start: string
  /** The difference of that zone to GMT, such as `GMT +01:00`. */
  readonly zone: string
  readonly dst: string
  readonly isAnswered: boolean
  readonly seconds: number
  readonly revenue: Money
  readonly cost: Money
}

const END = '</call>'

const textOf = (row: string, name: string): string =>
  row.match(new RegExp(`<${name}>([^<]*)</${name}>`))?.[1] ?? ''

const readRow = (row: string, moneyOf: MoneyOf): ReadCall => ({
  start: textOf(row, 'calldate2'),
  zone: textOf(row, 'timezone'),
  dst: textOf(row, 'dst'),
  isAnswered: textOf(row, 'disposition') === 'ANSWERED',
  seconds: Number(textOf(row, 'billsec')),
  ...MONEY[moneyOf](row),
})

const amountOf = (row: string, name: string): Money => textOf(row, name) || ZERO

/** As quickstats_get counts them: a call without a reseller is sold by admin, any other one by its reseller. */
const MONEY: Readonly<Record<MoneyOf, (row: string) => Pick<ReadCall, 'revenue' | 'cost'>>> = {
  admin: (row) => ({
    revenue: textOf(row, 'reseller_price') || amountOf(row, 'user_price'),
    cost: amountOf(row, 'provider_price'),
  }),
  owner: (row) => ({ revenue: amountOf(row, 'user_price'), cost: amountOf(row, 'reseller_price') }),
  none: () => ({ revenue: ZERO, cost: ZERO }),
}

/**
 * The calls in an answer of user_calls_get that comes in pieces, wherever it is cut: an incomplete call waits for the next
 * piece. Never holds more than a piece and a call. Throws the refusal of a refused answer.
 */
export async function* readCalls(
  pieces: AsyncIterable<string>,
  moneyOf: MoneyOf,
): AsyncGenerator<readonly ReadCall[]> {
  let waiting = ''
  for await (const piece of pieces) {
    waiting += piece
    const end = waiting.lastIndexOf(END)
    if (end < 0) refuseIfRefused(waiting)
    else {
      yield waiting
        .slice(0, end)
        .split(END)
        .map((row) => readRow(row, moneyOf))
      waiting = waiting.slice(end + END.length)
    }
  }
  refuseIfRefused(waiting)
}

function refuseIfRefused(text: string): void {
  const refusal = textOf(text, 'error')
  if (refusal) throw new Error(refusal)
}
