import { Script } from 'node:vm'
import type { LogFields } from '#lib/table/log-line.ts'
import { amountIn, predicateOf } from '#tools/server/metrics.ts'
import { ofType, type Template } from './template.ts'

/** The figures of a period of a stage that its alarms see. */
interface Period {
  /** The lines that the functions printed. */
  readonly lines: readonly LogFields[]
  /** AWS's own metrics by their name, of queues after the logical name of the queue. */
  readonly metrics?: Readonly<Record<string, number>>
}

interface Metric {
  readonly Namespace: string
  readonly MetricName: string
  readonly Dimensions?: readonly { readonly Value: unknown }[]
}

interface Alarm extends Metric {
  readonly AlarmName: string
  readonly AlarmActions: readonly [{ readonly Ref: string }]
  readonly Statistic?: string
  readonly Threshold: number | string
  readonly ComparisonOperator: string
  readonly TreatMissingData: string
  readonly Metrics?: readonly {
    readonly Id: string
    readonly Expression?: string
    readonly MetricStat?: { readonly Metric: Metric }
  }[]
}

/** The alarms that ring if all periods are like this one, each after the topic that it goes to. */
export function ringing(template: Template, period: Period): string[] {
  const all = ofType(template, 'AWS::CloudWatch::Alarm').map(([, alarm]) => alarm as unknown as Alarm)
  return all
    .filter((alarm) => isOn(alarm, levelOf(template, alarm, period)))
    .map(({ AlarmName, AlarmActions: [{ Ref }] }) => `${Ref}: ${AlarmName.replace('tollgate-prod-', '')}`)
}

function isOn({ TreatMissingData, ComparisonOperator, Threshold }: Alarm, value: number | undefined) {
  if (value === undefined) return TreatMissingData === 'breaching'
  return ComparisonOperator.startsWith('LessThan') ? value < Number(Threshold) : value >= Number(Threshold)
}

/** It is `undefined` without data. */
function levelOf(template: Template, alarm: Alarm, period: Period): number | undefined {
  if (alarm.Metrics) return valueOfExpression(alarm.Metrics, period)
  if (alarm.Namespace !== 'tollgate-prod') return period.metrics?.[nameOf(alarm)]
  const counted = ofType(template, 'AWS::Logs::MetricFilter').flatMap(([, filter]) =>
    amountsIn(filter, alarm.MetricName, period.lines),
  )
  if (counted.length === 0) return undefined
  if (alarm.Statistic === 'SampleCount') return counted.length
  return alarm.Statistic === 'Maximum' ? Math.max(...counted) : counted.reduce((sum, one) => sum + one, 0)
}

function amountsIn(
  { FilterPattern, MetricTransformations }: Readonly<Record<string, unknown>>,
  metric: string,
  lines: readonly LogFields[],
): number[] {
  const [{ MetricName, MetricValue }] = MetricTransformations as [
    Record<'MetricName' | 'MetricValue', string>,
  ]
  if (MetricName !== metric) return []
  return lines.filter(predicateOf(String(FilterPattern))).map(amountIn(MetricValue))
}

function valueOfExpression(metrics: NonNullable<Alarm['Metrics']>, { metrics: known = {} }: Period) {
  const values = metrics.flatMap(({ Id, MetricStat }) =>
    MetricStat ? [[Id, known[nameOf(MetricStat.Metric)]] as const] : [],
  )
  const expression = metrics.find(({ Expression }) => Expression)?.Expression ?? ''
  if (values.some(([, value]) => value === undefined)) return undefined
  return computed(expression, Object.fromEntries(values) as Record<string, number>)
}

const nameOf = ({ MetricName, Dimensions = [] }: Metric): string => {
  const [, queue] = /"Fn::GetAtt":\["(\w+)"/.exec(JSON.stringify(Dimensions)) ?? []
  return queue ? `${queue} ${MetricName}` : MetricName
}

/** The value of an expression of CloudWatch's metric math with IF, numbers and metrics. */
export const computed = (expression: string, metrics: Readonly<Record<string, number>>): number => {
  const script = expression.replace(/^IF\((.+), (.+), 0\)$/, '$1 ? $2 : 0')
  return Number(new Script(script).runInNewContext(metrics))
}
