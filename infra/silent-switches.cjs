/**
 * An alarm for each switch that `silentSwitches` names: no document came of it, over HTTP or through the bucket,
 * for silenceHours. Each has a metric of its own, because a log filter cannot match what is missing.
 */
const silentSwitches = async ({ resolveVariable }) => {
  const param = async (name) => String(await resolveVariable(`param:${name}`))
  const stack = `${await resolveVariable('self:service')}-${await resolveVariable('sls:stage')}`
  const hours = (await param('silenceHours')) || '12'
  const resources = namesIn(await param('silentSwitches')).map((name) => resourcesOf(name, stack, hours))
  return { Resources: Object.assign({}, ...resources) }
}

/** At most 40 letters, digits, - and _, divided by blanks. */
const namesIn = (text) => text.split(/\s+/).filter((name) => name !== '')

/** A logical name has letters and digits only, and no two switches share one. */
const logicalName = (name) => name.replace(/[^A-Za-z0-9]/g, (letter) => `x${letter.charCodeAt(0)}x`)

const resourcesOf = (name, stack, hours) => ({
  [`DocumentsOf${logicalName(name)}`]: {
    Type: 'AWS::Logs::MetricFilter',
    Properties: {
      LogGroupName: { Ref: 'IngestLogGroup' },
      FilterPattern: `{ ($.intake = "${name}" && $.outcome = "taken") || ($.key = "switches/${name}/*" && $.outcome = "mediated") }`,
      MetricTransformations: [
        { MetricNamespace: stack, MetricName: `DocumentsOf-${name}`, MetricValue: '1' },
      ],
    },
  },
  [`NoDocumentsOf${logicalName(name)}`]: {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${stack}-silent-switch-${name}`,
      AlarmDescription: `The switch ${name} has sent nothing for ${hours} hours.`,
      Namespace: stack,
      MetricName: `DocumentsOf-${name}`,
      Statistic: 'Sum',
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      Period: 3600,
      EvaluationPeriods: Number(hours),
      TreatMissingData: 'breaching',
      AlarmActions: [{ Ref: 'AlarmTopic' }],
      OKActions: [{ Ref: 'AlarmTopic' }],
    },
  },
})

module.exports = {
  silentSwitches,
  alarmsOfSwitches: (text) => namesIn(text).map((name) => `NoDocumentsOf${logicalName(name)}`),
}
