import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EVERYTHING } from '#test/template/everything.ts'
import { computed } from '#test/template/ringing.ts'
import { routes } from '#test/template/routes.ts'
import { ofType, packagedTemplate, type Template } from '#test/template/template.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/program.ts'
import { predicateOf } from '#tools/server/metrics.ts'

const template = await packagedTemplate('prod')
const dev = await packagedTemplate('dev')
/** With the alarms of all that a stage may choose. */
const whole = await packagedTemplate('prod', EVERYTHING)
const files = await loadFunctionFiles()
const PREFIX = 'tollgate-prod-'

const all = (type: string) => ofType(template, type)
const operations = readFileSync(`${root}docs/operations.md`, 'utf8')
const text = (value: unknown) => JSON.stringify(value)

const alarmsIn = (one: Template) => ofType(one, 'AWS::CloudWatch::Alarm')

/** The name of an alarm on its page: those of single switches share one. */
const pageOf = (name: unknown) =>
  String(name)
    .slice(PREFIX.length)
    .replace(/^(silent-switch)-.*/, '$1')

test('every alarm goes to the topic of docs/operations.md; missing data counts only for silence', () => {
  const [, list = ''] = /^- page: (.*)$/m.exec(operations) ?? []
  const pages = [...list.matchAll(/\[([\w-]+)\]/g)].map(([, name = '']) => name)
  const alarms = alarmsIn(whole)
  for (const [name, { AlarmName, AlarmActions, OKActions, TreatMissingData }] of alarms) {
    const actions = [{ Ref: pages.includes(pageOf(AlarmName)) ? 'PageTopic' : 'AlarmTopic' }]
    expect([AlarmActions, OKActions], name).toEqual([actions, actions])
    expect(TreatMissingData, name).toBe(/^No[A-Z]/.test(name) ? 'breaching' : 'notBreaching')
  }
  expect(alarms.map(([, { AlarmName }]) => pageOf(AlarmName))).toEqual(expect.arrayContaining(pages))
})

test('each function that no client waits for has an alarm on its errors', () => {
  const routed = new Set(routes(template, PREFIX).map((route) => route.function))
  const unattended = all('AWS::Lambda::Function').flatMap(([name, { FunctionName }]) =>
    routed.has(String(FunctionName).slice(PREFIX.length)) ? [] : [name],
  )
  const alarms = text(all('AWS::CloudWatch::Alarm'))
  const watched = [...alarms.matchAll(/"Name":"FunctionName","Value":\{"Ref":"(\w+)"/g)].map(
    ([, name]) => name,
  )

  expect(unattended.sort()).toEqual(watched.sort())
})

test('silence is an alarm on prod, after as many hours as the stage says, and on no other stage', () => {
  const periodsOf = ({ Resources }: Template) =>
    ['NoCallsAlarm', 'NoHourlyRunAlarm'].map((name) => Resources[name]?.Properties?.['EvaluationPeriods'])

  expect(periodsOf(template)).toEqual([12, 3])
  expect(periodsOf(dev)).toEqual([undefined, undefined])
})

test.each([template, whole])('every alarm is on the dashboard, which is well-formed', (one) => {
  const [[, { DashboardBody }]] = ofType(one, 'AWS::CloudWatch::Dashboard') as [
    [string, { DashboardBody: { 'Fn::Sub': [string, object] } }],
  ]
  const { widgets } = JSON.parse(DashboardBody['Fn::Sub'][0])
  const [{ properties: shown }, ...metrics] = widgets

  expect(shown.alarms.toSorted()).toEqual(
    alarmsIn(one)
      .map(([name]) => `\${${name}.Arn}`)
      .sort(),
  )
  expect(text(metrics)).toContain('UncheckedCalls')
})

test('failed logins are counted by the text of their refusal', () => {
  const { FilterPattern } = template.Resources['LoginFailures']?.Properties ?? {}
  const { errors } = files.find(({ method }) => method.name === 'user_login')?.method ?? { errors: {} }

  expect([...String(FilterPattern).matchAll(/refusal = "([^"]+)"/g)].map(([, words]) => words)).toEqual(
    Object.values(errors),
  )
})

test('docs/deployment.md has the costs of as many alarms and metrics as there are', () => {
  const alarms = all('AWS::CloudWatch::Alarm')
  const own = all('AWS::Logs::MetricFilter').length
  const metricsOf = (alarm: Readonly<Record<string, unknown>>) =>
    ((alarm['Metrics'] as { MetricStat?: object }[] | undefined) ?? [{ MetricStat: alarm }]).filter(
      ({ MetricStat }) => MetricStat,
    )
  const read = alarms.flatMap(([, alarm]) => metricsOf(alarm)).length
  const dollars = (read * 0.1 + own * 0.3).toFixed(2)

  expect(readFileSync(`${root}docs/deployment.md`, 'utf8')).toContain(
    `${alarms.length} alarms over ${read} metrics and ${own} metrics of our own ${dollars} a month`,
  )
})

test('every custom metric that an alarm or the dashboard reads is written', () => {
  const written = ofType(whole, 'AWS::Logs::MetricFilter').flatMap(([, { MetricTransformations }]) =>
    (MetricTransformations as { MetricName: string }[]).map(({ MetricName }) => MetricName),
  )
  const read = alarmsIn(whole).flatMap(([, { Namespace, MetricName }]) =>
    Namespace === PREFIX.slice(0, -1) ? [MetricName] : [],
  )

  expect([...new Set(read)].sort()).toEqual(written.sort())
})

test('every alarm has a section in docs/operations.md', () => {
  const pages = [...operations.matchAll(/^### (.+)$/gm)].map(([, name]) => name)

  const names = new Set(alarmsIn(whole).map(([, { AlarmName }]) => pageOf(AlarmName)))

  expect([...names].sort()).toEqual(pages.sort())
})

test('the alarms are encrypted with a key that CloudWatch may use', () => {
  const [[, topic]] = all('AWS::SNS::Topic') as [[string, Record<string, unknown>]]
  const [[, key]] = all('AWS::KMS::Key') as [[string, Record<string, unknown>]]

  expect(topic['KmsMasterKeyId']).toEqual({ Ref: 'AlarmKey' })
  expect(key['EnableKeyRotation']).toBe(true)
  expect(text(key['KeyPolicy'])).toContain('cloudwatch.amazonaws.com')
})

test.each([
  ['ServerErrorsAlarm', { errors: 1, requests: 1 }, false],
  ['ServerErrorsAlarm', { errors: 3, requests: 300 }, true],
  ['ServerErrorsAlarm', { errors: 3, requests: 301 }, false],
  ['SlowCallsAlarm', { requests: 19, latency: 9000 }, false],
  ['SlowCallsAlarm', { requests: 20, latency: 3000 }, true],
  ['SloFastBurnAlarm', { requests: 9, slow: 100, errors: 0 }, false],
  ['SloFastBurnAlarm', { requests: 1000, slow: 1, errors: 5 }, true],
  ['SloFastBurnAlarm', { requests: 1000, slow: 1, errors: 4 }, false],
  ['SloSlowBurnAlarm', { requests: 10_000, slow: 0.3, errors: 30 }, true],
  ['SloSlowBurnAlarm', { requests: 10_000, slow: 0.1, errors: 0 }, false],
])('%s of a minute or window with %o is %s', (name, metrics, isOn) => {
  const { Metrics, Threshold } = template.Resources[name]?.Properties ?? {}
  const [{ Expression }] = Metrics as [{ Expression: string }]

  expect(computed(Expression, metrics) >= Number(Threshold)).toBe(isOn)
})

test('what rolls an update back is noticed within half the time that it is watched', () => {
  const { rollbackMinutes } = parse(readFileSync(`${root}infra/stages.yml`, 'utf8')).prod
  for (const name of ['ServerErrorsAlarm', 'SlowCallsAlarm']) {
    const { EvaluationPeriods, Metrics } = template.Resources[name]?.Properties ?? {}
    const periods = (Metrics as { MetricStat?: { Period: number } }[]).map(
      ({ MetricStat }) => MetricStat?.Period ?? 60,
    )
    expect([...new Set(periods)]).toEqual([60])
    expect(Number(EvaluationPeriods)).toBeLessThanOrEqual(rollbackMinutes / 2)
  }
})

test.each([
  ['over HTTP', { intake: 'kam-2', outcome: 'taken' }, true],
  ['with a wrong secret', { intake: 'kam-2', outcome: 'unauthorized' }, false],
  ['of another switch', { intake: 'fs1', outcome: 'taken' }, false],
  ['in the bucket', { key: 'switches/kam-2/csv/1.csv', outcome: 'mediated' }, true],
  ['in the bucket that could not be read', { key: 'switches/kam-2/csv/1.csv', outcome: 'failed' }, false],
])('a document %s is one of a switch that must not be silent: %o is %s', (_how, line, counts) => {
  const { FilterPattern } = whole.Resources['DocumentsOfkamx45x2']?.Properties ?? {}

  expect(predicateOf(String(FilterPattern))(line)).toBe(counts)
})

/** Dollars of a metric in an alarm, and of a metric that a filter of the log makes, by CloudWatch's list. */
const [OF_AN_ALARM, OF_A_METRIC] = [0.1, 0.3]

test('the standing costs in docs/deployment.md are those of the template', () => {
  const deployment = readFileSync(`${root}docs/deployment.md`, 'utf8')
  const watched = alarmsIn(template).flatMap(([, { Metrics = [{ MetricStat: true }] }]) =>
    (Metrics as { MetricStat?: unknown }[]).filter(({ MetricStat }) => MetricStat),
  ).length
  const own = new Set(
    all('AWS::Logs::MetricFilter').flatMap(([, { MetricTransformations }]) =>
      (MetricTransformations as { MetricName: string }[]).map(({ MetricName }) => MetricName),
    ),
  ).size
  const dollars = (watched * OF_AN_ALARM + own * OF_A_METRIC).toFixed(2)

  expect(deployment).toContain(
    `${alarmsIn(template).length} alarms over ${watched} metrics and ${own} metrics of our own ${dollars} a month`,
  )
})
