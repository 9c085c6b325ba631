const { createRequire } = require('node:module')

const requireOfOsls = createRequire(require.resolve('serverless'))

/**
 * Lets CloudFormation roll an update back if the API answers with HTTP 5xx or slowly within `rollbackMinutes` of it. An alarm that
 * does not exist yet would fail the first deployment, and one that is on already would roll back what is to mend it.
 */
module.exports = class RollBackOnAlarms {
  constructor(serverless) {
    this.hooks = {
      'before:aws:deploy:deploy:updateStack': async () => {
        const { provider } = serverless.service
        const minutes = Number(provider.rollbackConfiguration?.MonitoringTimeInMinutes)
        const alarms = minutes > 0 ? await describeAlarms(serverless.getProvider('aws')) : []
        provider.rollbackConfiguration = rollbackConfiguration(alarms, minutes)
      },
    }
  }
}

const NAMES = ['server-errors', 'slow-calls']

async function describeAlarms(provider) {
  const { CloudWatchClient, DescribeAlarmsCommand } = requireOfOsls('@aws-sdk/client-cloudwatch')
  const client = new CloudWatchClient(await provider.getAwsSdkV3Config())
  const AlarmNames = NAMES.map((name) => `${provider.naming.getStackName()}-${name}`)
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNames }))
  return MetricAlarms
}

/** `undefined` if there is nothing to watch. */
function rollbackConfiguration(alarms, minutes) {
  const quiet = alarms.filter(({ StateValue }) => StateValue !== 'ALARM')
  if (quiet.length === 0) return undefined
  return {
    MonitoringTimeInMinutes: minutes,
    RollbackTriggers: quiet.map(({ AlarmArn }) => ({ Arn: AlarmArn, Type: 'AWS::CloudWatch::Alarm' })),
  }
}

module.exports.rollbackConfiguration = rollbackConfiguration
