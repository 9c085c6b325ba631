const { alarmsOfSwitches, silentSwitches } = require('./silent-switches.cjs')

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

/** The alarms of chosen parts in the list of the dashboard. */
const chosenAlarms = async ({ resolveVariable }) => {
  const ifSet = async (name, alarms) => (String(await resolveVariable(`param:${name}`)) === '' ? [] : alarms)
  const names = [
    ...(await ifSet('silenceHours', ['NoCallsAlarm', 'NoHourlyRunAlarm'])),
    ...(await ifSet('domainName', ['CertificateAlarm'])),
    ...alarmsOfSwitches(String(await resolveVariable('param:silentSwitches'))),
  ]
  return names.map((name) => `"\${${name}.Arn}",`).join(' ')
}

module.exports = {
  silence: chosenBy('silenceHours', 'silence'),
  chosenAlarms,
  silentSwitches,
  budget: chosenBy('monthlyBudget', 'budget'),
  tableLimits: chosenBy('maxWriteUnits', 'table-limits'),
  copies: chosenBy('secondRegion', 'copies'),
  alarmEmail: chosenBy('alarmEmail', 'alarm-email'),
  alertsEmail: chosenBy('alertsEmail', 'alerts-email'),
  pageUrl: chosenBy('pageUrl', 'page-url'),
  domain: chosenBy('domainName', 'domain', 'domain-off'),
  firewall: chosenBy('wafRateLimit', 'firewall'),
  login: chosenBy('loginConcurrency', 'login'),
  mailBounces: chosenBy('mailFrom', 'mail-bounces'),
  noteBounces: chosenBy('mailFrom', 'note-bounces'),
  stripe: chosenBy('stripe', 'stripe-on'),
  stripeRole: chosenBy('stripe', 'stripe-role'),
}
