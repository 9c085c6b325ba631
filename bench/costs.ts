import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { FunctionConfig, FunctionConfigs } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/program.ts'
import type { BenchmarkTable } from './report.ts'
import type { Units } from './units-by-key.ts'

const readYaml = <T>(path: string): T => parse(readFileSync(root + path, 'utf8'), { merge: true }) as T

/**
 * List prices of us-east-1 in dollars, on demand and without free tiers (docs/deployment.md names the pages).
 * Prices are for a million unless they say otherwise; that of API Gateway falls with the millions a month.
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
  /** One GB out to the internet, cheaper with volume (EC2 on-demand pricing, "Data Transfer OUT"). */
  gigabyteOut: [
    [10_240, 0.09],
    [51_200, 0.085],
    [153_600, 0.07],
    [Number.POSITIVE_INFINITY, 0.05],
  ],
} as const

/** Measured: the log bytes of a request. */
const REQUEST = { seconds: 0.03, kilobytesOfLog: 0.9, traced: 0.05, kilobytesOut: 2 }
const SECONDS_OF_A_CDR = 0.002
const KILOBYTES_OF_LOG_OF_A_BATCH = 0.5

/** SQS delivers and deletes up to this many messages with one request. */
const MESSAGES_OF_A_REQUEST = 10

/** The memory of each deployed function, which Lambda bills. */
const deployed: Readonly<Record<string, FunctionConfig>> = Object.assign(
  {},
  ...['infra/functions.yml', 'infra/ingest-functions.yml'].map((path) => readYaml<FunctionConfigs>(path)),
)
const { memorySize: defaultMegabytes } = readYaml<{ provider: { memorySize: number } }>(
  'serverless.yml',
).provider

const gigabytesOf = (name: string): number => (deployed[name]?.memorySize ?? defaultMegabytes) / 1024

/** The price of a million runs of a function of this many seconds. */
const priceOfRuns = (name: string, seconds: number): number =>
  seconds * gigabytesOf(name) * PRICE.gigabyteSecond * 1e6

/** A million requests. */
const LOGS = REQUEST.kilobytesOfLog * PRICE.gigabyteOfLog
const TRACES = REQUEST.traced * PRICE.traces

/** A million method requests: API Gateway, Lambda requests and time, DynamoDB, logs, traces, data out. */
export const pricesOfRequests = (
  name: string,
  units: Units,
  seconds = REQUEST.seconds,
): readonly number[] => [
  PRICE.apiGateway[0][1],
  PRICE.lambdaRequests,
  priceOfRuns(name, seconds),
  priceOf(units),
  LOGS,
  TRACES,
  REQUEST.kilobytesOut * PRICE.gigabyteOut[0][1],
]

/** Single CDRs: DynamoDB, the queue, Lambda and logs. The consumer finds `taken` messages at a time. */
export const pricesOfCdrs = (millions: number, units: Units, taken: number): readonly number[] => [
  millions * priceOf(units),
  ofQueue(millions, taken),
  ofConsumer(millions, millions / taken) +
    (millions / taken) * KILOBYTES_OF_LOG_OF_A_BATCH * PRICE.gigabyteOfLog,
]

const SECONDS_OF_A_MONTH = 730 * 3600

/** Units of a portal's and a customer's request, and of a CDR alone, among others, and in a hundred. */
type OperationUnits = Readonly<Record<'request' | 'list' | 'cdr' | 'taken' | 'batched', Units>>

type Dollars = Readonly<Record<'table' | 'functions' | 'others', number>>

/**
 * The last number is how many messages the consumer finds in the queue at a time: with few messages it is
 * one. With many, it takes more than a request of SQS carries.
 */
const LOADS: readonly (readonly [title: string, dollars: (costs: OperationUnits) => Dollars])[] = [
  ['1 CDR a second, each in a message', (costs) => ofCdrs(costs.cdr, 1, [1, 1])],
  ['1 CDR a second, 100 in a message', (costs) => ofCdrs(costs.batched, 1, [100, 1])],
  ['100 CDRs a second, each in a message', (costs) => ofCdrs(costs.taken, 100, [1, 20])],
  ['100 CDRs a second, 100 in a message', (costs) => ofCdrs(costs.batched, 100, [100, 1])],
  ['5,000 CDRs a second, each in a message', (costs) => ofCdrs(costs.taken, 5000, [1, 20])],
  ['5,000 CDRs a second, 100 in a message', (costs) => ofCdrs(costs.batched, 5000, [100, 20])],
  ['10 requests a second', (costs) => ofRequests(costs, 10)],
  ['10,000 requests a second', (costs) => ofRequests(costs, 10_000)],
]

/** Dollars a month, from the measured units. */
export const costsTable = (costs: OperationUnits): BenchmarkTable => ({
  title: 'Dollars a month',
  columns: [
    'load, all month long',
    'DynamoDB',
    'Lambda',
    'queue or API Gateway, logs, traces, data out',
    'together',
  ],
  rows: LOADS.map(([title, dollarsOf]) => {
    const { table, functions, others } = dollarsOf(costs)
    return [title, ...[table, functions, others, table + functions + others].map(inDollars)]
  }),
})

const inDollars = (dollars: number): string =>
  dollars < 10 ? dollars.toFixed(2) : Number(dollars.toPrecision(3)).toLocaleString('en')

/** Half of one portal's requests (quickstats_get), half of customers' (user_calls_get). */
function ofRequests(costs: OperationUnits, rate: number): Dollars {
  const millions = millionsAMonth(rate)
  const { seconds } = REQUEST
  const half = millions / 2
  return {
    table: half * (priceOf(costs.request) + priceOf(costs.list)),
    functions:
      millions * PRICE.lambdaRequests +
      half * (priceOfRuns('quickstats_get', seconds) + priceOfRuns('user_calls_get', seconds)),
    others: graded(PRICE.apiGateway, millions) + millions * (LOGS + TRACES) + dataOut(rate).dollars,
  }
}

/** The weight of a month's answers, and AWS's price for sending them. */
export function dataOut(rate: number): { readonly terabytes: number; readonly dollars: number } {
  const gigabytes = millionsAMonth(rate) * REQUEST.kilobytesOut
  return { terabytes: gigabytes / 1000, dollars: graded(PRICE.gigabyteOut, gigabytes) }
}

function ofCdrs(units: Units, rate: number, [inAMessage, taken]: readonly [number, number]): Dollars {
  const millions = millionsAMonth(rate)
  const messages = millions / inAMessage
  return {
    table: millions * priceOf(units),
    functions: ofConsumer(millions, messages / taken),
    others: ofQueue(messages, taken),
  }
}

const ofConsumer = (cdrs: number, runs: number): number =>
  runs * PRICE.lambdaRequests + cdrs * priceOfRuns('ingest_calls', SECONDS_OF_A_CDR)

const ofQueue = (messages: number, taken: number): number =>
  messages * PRICE.sqsRequests * (1 + 2 / Math.min(taken, MESSAGES_OF_A_REQUEST))

const millionsAMonth = (rate: number): number => (rate * SECONDS_OF_A_MONTH) / 1e6

/** The price of a million operations in the table. */
const priceOf = ({ write, read }: Units): number => write * PRICE.writeUnits + read * PRICE.readUnits

function graded(prices: readonly (readonly [till: number, price: number])[], amount: number): number {
  let [dollars, from] = [0, 0]
  for (const [till, price] of prices) {
    dollars += Math.max(0, Math.min(amount, till) - from) * price
    from = till
  }
  return dollars
}
