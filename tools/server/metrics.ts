import { readFileSync } from 'node:fs'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { parse } from 'yaml'
import type { LogFields } from '#lib/table/log-line.ts'
import { root } from '#tools/machine/program.ts'

/** An installation's metrics for Prometheus: reads each log line, and prints all metrics as text. */
export interface Metrics {
  count(line: LogFields): void
  text(): Promise<string>
  readonly contentType: string
}

/** A metric filter of infra/logs.yml: the lines that count, and the number or the field that each adds. */
interface LogFilter {
  readonly name: string
  readonly matches: (line: LogFields) => boolean
  readonly amountIn: (line: LogFields) => number
}

/** Gauges of the log: their last value holds. All other metrics are sums. */
const LAST_VALUES = new Set(['SuspenseEntries', 'SuspenseOldestHours'])

/** Seconds of a request: a portal's, those of a long list, and the longest that is streamed. */
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300]

/**
 * The metrics that the alarms of AWS use, from the same filters of the log, so that an alarm means the same
 * on one machine; the seconds of requests; and memory and processor of the process.
 */
export function createMetrics(): Metrics {
  const registers = [new Registry()]
  const [registry = new Registry()] = registers
  collectDefaultMetrics({ register: registry })
  const seconds = new Histogram({
    name: 'tollgate_request_seconds',
    help: 'Requests by outcome',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  })
  const counts = filtersOfAlarms().map(({ name, matches, amountIn }) => {
    const metric = { name: metricName(name), help: `${name} of infra/logs.yml`, registers }
    if (!LAST_VALUES.has(name)) {
      const counter = new Counter({ ...metric, name: `${metric.name}_total` })
      return (line: LogFields) => matches(line) && counter.inc(amountIn(line))
    }
    const gauge = new Gauge(metric)
    return (line: LogFields) => matches(line) && gauge.set(amountIn(line))
  })
  const documents = new Counter({
    name: 'tollgate_intake_documents_total',
    help: 'Documents that were taken of a switch',
    labelNames: ['intake'],
    registers,
  })
  return {
    count: (line) => {
      for (const count of counts) count(line)
      const { milliseconds, outcome, intake } = line
      if (outcome === 'taken') documents.inc({ intake: String(intake) })
      if (typeof milliseconds === 'number') seconds.observe({ outcome: String(outcome) }, milliseconds / 1000)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

const metricName = (name: string): string =>
  `tollgate${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

interface LogResources {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string
        readonly Properties: {
          readonly FilterPattern?: string
          readonly MetricTransformations?: readonly {
            readonly MetricName: string
            readonly MetricValue: string
          }[]
        }
      }
    >
  >
}

/** The metric filters of infra/logs.yml, but those of API Gateway's own log. */
export function filtersOfAlarms(): LogFilter[] {
  const { Resources } = parse(readFileSync(`${root}infra/logs.yml`, 'utf8'), { merge: true }) as LogResources
  return Object.values(Resources).flatMap(
    ({ Type, Properties: { FilterPattern = '', MetricTransformations = [] } }) => {
      if (Type !== 'AWS::Logs::MetricFilter' || !FilterPattern.startsWith('{')) return []
      const matches = predicateOf(FilterPattern)
      return MetricTransformations.map(({ MetricName, MetricValue }) => ({
        name: MetricName,
        matches,
        amountIn: amountIn(MetricValue),
      }))
    },
  )
}

/** The value of a metric in a line of the log: that of a field, or the same number for each line. */
export const amountIn =
  (value: string): LogFilter['amountIn'] =>
  (line) =>
    Number(value.startsWith('$.') ? line[value.slice(2)] : value)

type Predicate = LogFilter['matches']

/**
 * Reads a filter pattern of CloudWatch as far as infra/logs.yml uses them: comparisons of a field with a text
 * (`*` at its end matches any ending) or a number, `IS TRUE`, `&&` before `||`, and parentheses. Throws an
 * error for any other.
 */
export function predicateOf(pattern: string): Predicate {
  const tokens =
    pattern.slice(1, -1).match(/\$\.\w+|"[^"]*"|[\d.]+|IS TRUE|&&|\|\||[()]|[<>]?=|[<>]|\S+/g) ?? []
  const next = (wanted: string): boolean => tokens[0] === wanted && tokens.shift() !== undefined
  const any = (): Predicate => {
    const choices = [all()]
    while (next('||')) choices.push(all())
    return (line) => choices.some((one) => one(line))
  }
  const all = (): Predicate => {
    const conditions = [one()]
    while (next('&&')) conditions.push(one())
    return (line) => conditions.every((condition) => condition(line))
  }
  const one = (): Predicate => {
    if (!next('(')) return comparison(tokens)
    const inner = any()
    if (!next(')')) throw new Error(`A parenthesis of ${pattern} is not closed`)
    return inner
  }
  const predicate = any()
  if (tokens.length > 0) throw new Error(`${pattern} has more than a condition: ${tokens.join(' ')}`)
  return predicate
}

const COMPARED: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

/** CloudWatch reads an asterisk at the end of a text as any ending. */
const beginsLike = (value: unknown, wanted: unknown): boolean =>
  String(wanted).endsWith('*') && typeof value === 'string' && value.startsWith(String(wanted).slice(0, -1))

/** Takes a comparison from the front of the tokens. */
function comparison(tokens: string[]): Predicate {
  const [field = '', how = ''] = tokens.splice(0, 2)
  const name = field.slice(2)
  if (how === 'IS TRUE') return (line) => line[name] === true
  const wanted: unknown = JSON.parse(tokens.shift() ?? 'null')
  const compare = COMPARED[how]
  if (how === '=') return (line) => line[name] === wanted || beginsLike(line[name], wanted)
  if (!field.startsWith('$.') || !compare)
    throw new Error(`${field} ${how} is not a comparison of a metric filter`)
  return (line) => typeof line[name] === 'number' && compare(line[name], Number(wanted))
}
