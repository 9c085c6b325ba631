import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const { rollbackConfiguration } = createRequire(import.meta.url)('./roll-back-on-alarms.cjs')

const alarm = (StateValue: string) => ({ AlarmArn: `arn of ${StateValue}`, StateValue })

test('an update is watched with the alarms that exist and are quiet', () => {
  expect(rollbackConfiguration([alarm('OK'), alarm('INSUFFICIENT_DATA'), alarm('ALARM')], 10)).toEqual({
    MonitoringTimeInMinutes: 10,
    RollbackTriggers: [
      { Arn: 'arn of OK', Type: 'AWS::CloudWatch::Alarm' },
      { Arn: 'arn of INSUFFICIENT_DATA', Type: 'AWS::CloudWatch::Alarm' },
    ],
  })
})

test('a first deployment, and one that mends what is on, are not watched', () => {
  expect(rollbackConfiguration([], 10)).toBeUndefined()
  expect(rollbackConfiguration([alarm('ALARM')], 10)).toBeUndefined()
})
