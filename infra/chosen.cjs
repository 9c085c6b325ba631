/**
 * The parts of the template that an installation chooses in infra/stages.yml. A part that is not chosen is not in the template:
 * CloudFormation also validates the values of resources whose condition does not hold, and a blank one would be invalid.
 */
const chosenBy =
  (parameter, part, otherwise) =>
  async ({ resolveVariable }) => {
    const isChosen = String(await resolveVariable(`param:${parameter}`)) !== ''
    const file = isChosen ? part : otherwise
    return file === undefined ? {} : resolveVariable(`file(infra/${file}.yml)`)
  }

/** The alarms of infra/silence.yml in the list of the dashboard. */
const silenceAlarms = async ({ resolveVariable }) =>
  String(await resolveVariable('param:silenceHours')) === ''
    ? ''
    : ['NoCallsAlarm', 'NoHourlyRunAlarm'].map((name) => `"\${${name}.Arn}",`).join(' ')

module.exports = {
  silence: chosenBy('silenceHours', 'silence'),
  silenceAlarms,
  alarmEmail: chosenBy('alarmEmail', 'alarm-email'),
  alertsEmail: chosenBy('alertsEmail', 'alerts-email'),
  pageUrl: chosenBy('pageUrl', 'page-url'),
  domain: chosenBy('domainName', 'domain', 'domain-off'),
  firewall: chosenBy('wafRateLimit', 'firewall'),
  login: chosenBy('loginConcurrency', 'login'),
}
