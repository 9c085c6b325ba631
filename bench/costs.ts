import type { OperationCosts } from './hot-keys.ts'
import type { BenchmarkTable } from './report.ts'
import type { Units } from './units-by-key.ts'

/**
 * List prices of us-east-1 in dollars, on demand and without free tiers (docs/scale.md names the pages). Prices are for a
 * million unless they say otherwise; that of API Gateway falls with the millions a month.
 */
const PRICE = {
  writeUnits: 0.625,
  readUnits: 0.125,
  sqsRequests: 0.4,
  lambdaRequests: 0.2,
  /** One GB-second on arm64. */
  gigabyteSecond: 0.0000133334,
  apiGateway: [
    [333, 3.5],
    [1000, 2.8],
    [20_000, 2.38],
    [Number.POSITIVE_INFINITY, 1.51],
  ],
  /** One GB. */
  gigabyteOfLog: 0.5,
  traces: 5,
} as const

/** Measured on a function of this size, and what a request leaves behind. */
const REQUEST = { seconds: 0.03, gigabytes: 0.5, kilobytesOfLog: 0.7, traced: 0.05 }
const CDR = { seconds: 0.002, gigabytes: 1 }

/** A function takes up to this many messages from the queue with one request, and deletes as many. */
const MESSAGES_TAKEN_AT_ONCE = 10

const SECONDS_OF_A_MONTH = 730 * 3600

type Dollars = Readonly<Record<'table' | 'functions' | 'others', number>>

/** With few messages, the consumer finds one at a time in the queue. With many, it takes them together. */
const LOADS: readonly (readonly [title: string, dollars: (costs: OperationCosts) => Dollars])[] = [
  ['1 CDR a second, each in a message', (costs) => ofCdrs(costs.cdr, 1, 1)],
  ['1 CDR a second, 100 in a message', (costs) => ofCdrs(costs.batched, 1, 100)],
  ['100 CDRs a second, each in a message', (costs) => ofCdrs(costs.taken, 100, 1)],
  ['100 CDRs a second, 100 in a message', (costs) => ofCdrs(costs.batched, 100, 100)],
  ['5,000 CDRs a second, each in a message', (costs) => ofCdrs(costs.taken, 5000, 1)],
  ['5,000 CDRs a second, 100 in a message', (costs) => ofCdrs(costs.batched, 5000, 100)],
  ['10 requests a second', (costs) => ofRequests(costs, 10)],
  ['10,000 requests a second', (costs) => ofRequests(costs, 10_000)],
]

/** Dollars a month, from the measured units. */
export const costsTable = (costs: OperationCosts): BenchmarkTable => ({
  title: 'Dollars a month',
  columns: ['load, all month long', 'DynamoDB', 'Lambda', 'queue or API Gateway, logs, traces', 'together'],
  rows: LOADS.map(([title, dollarsOf]) => {
    const { table, functions, others } = dollarsOf(costs)
    return [title, ...[table, functions, others, table + functions + others].map(inDollars)]
  }),
})

const inDollars = (dollars: number): string =>
  dollars < 10 ? dollars.toFixed(2) : Number(dollars.toPrecision(3)).toLocaleString('en')

/** Half of the requests are those of one portal, half those of customers. */
function ofRequests(costs: OperationCosts, rate: number): Dollars {
  const millions = millionsAMonth(rate)
  const { seconds, gigabytes, kilobytesOfLog, traced } = REQUEST
  return {
    table: millions * (priceOf(costs.request) + priceOf(costs.list)) * 0.5,
    functions: millions * (PRICE.lambdaRequests + seconds * gigabytes * PRICE.gigabyteSecond * 1e6),
    others: ofGateway(millions) + millions * (kilobytesOfLog * PRICE.gigabyteOfLog + traced * PRICE.traces),
  }
}

function ofCdrs(units: Units, rate: number, inAMessage: number): Dollars {
  const millions = millionsAMonth(rate)
  const messages = millions / inAMessage
  const { seconds, gigabytes } = CDR
  return {
    table: millions * priceOf(units),
    functions:
      (messages / MESSAGES_TAKEN_AT_ONCE) * PRICE.lambdaRequests +
      millions * seconds * gigabytes * PRICE.gigabyteSecond * 1e6,
    others: messages * PRICE.sqsRequests * (1 + 2 / MESSAGES_TAKEN_AT_ONCE),
  }
}

const millionsAMonth = (rate: number): number => (rate * SECONDS_OF_A_MONTH) / 1e6

/** The price of a million operations in the table. */
const priceOf = ({ write, read }: Units): number => write * PRICE.writeUnits + read * PRICE.readUnits

function ofGateway(millions: number): number {
  let [dollars, from] = [0, 0]
  for (const [till, price] of PRICE.apiGateway) {
    dollars += Math.max(0, Math.min(millions, till) - from) * price
    from = till
  }
  return dollars
}
