import { addedIntakeAnswer, intakesAnswer, revokedIntakeAnswer } from '#lib/api/console/answers/intakes.ts'
import { ConsoleRefusal, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { plainText, sentText } from '#lib/api/console/values.ts'
import { addDays, formatDateTime, formatIso, today } from '#lib/base/calendar.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { newestCalls } from '#lib/calls/call-page.ts'
import { daysInTable } from '#lib/calls/retention.ts'
import { isSourceName } from '#lib/cdrs/formats/cdr.ts'
import { suspendedAfter } from '#lib/cdrs/suspense/suspense.ts'
import { addIntake, findIntake, listIntakes, newIntakeSecret, removeIntake } from '#lib/settings/intake.ts'
import { SETTING_KINDS } from '#lib/settings/setting-kinds.ts'

/** What the list reads of calls and of suspense: no index has them by switch. */
const READ_CALLS = 50
const READ_DAYS = 7
const READ_SUSPENDED = 50

export const resource = defineResource({
  name: 'intakes',
  access: 'records',
  operations: [
    operation('GET', '/intakes', {
      summary: 'The switches that send CDRs over HTTP, by name. No answer holds a stored secret.',
      callers: ['admin'],
      answer: intakesAnswer,
      run: async (request) => {
        const { store, settings } = request
        const [intakes, last, suspended] = await Promise.all([
          listIntakes(store),
          lastCallsOf(request),
          suspendedAfter(store, '', READ_SUSPENDED),
        ])
        return {
          intakes: intakes.map(({ name, zone = null, added_at }) => ({
            name,
            zone,
            added: formatIso(added_at, settings.Timezone),
            lastCall: last.get(name) ?? null,
            suspended: suspended.filter(({ source }) => source === name).length,
          })),
          read: { calls: READ_CALLS, days: READ_DAYS, suspended: READ_SUSPENDED },
        }
      },
    }),
    operation('POST', '/intakes', {
      summary: 'Adds a switch, logs it, and answers with its secret, which is not shown again.',
      callers: ['admin'],
      params: { name: sentText, zone: plainText },
      answer: addedIntakeAnswer,
      run: async ({ store, clock, logged, params: { name, zone } }) => {
        if (!isSourceName(name))
          throw invalidValue(`name is "${name}": it takes at most 40 letters, digits, - and _.`)
        const { isValid, rule } = SETTING_KINDS['time zone']
        if (zone !== undefined && !isValid(zone)) throw invalidValue(`zone is "${zone}": it ${rule}.`)
        const secret = newIntakeSecret()
        const intake = {
          name,
          secret_sha256: hexDigest(secret),
          added_at: clock().toISOString(),
          ...(zone && { zone }),
        }
        if (await addIntake(store, intake, logged({ action: `added the intake ${name}` })))
          return { name, secret }
        throw new ConsoleRefusal('conflict', `The intake ${name} exists: revoke it, then add it again.`)
      },
    }),
    operation('DELETE', '/intakes/{name}', {
      summary: 'Refuses a switch from now on, and logs it. Its calls stay.',
      callers: ['admin'],
      params: { name: sentText },
      answer: revokedIntakeAnswer,
      run: async ({ store, logged, params: { name } }) => {
        if (!isSourceName(name) || !(await findIntake(store, name))) throw unknownThing('intake', name)
        await removeIntake(store, name, logged({ action: `revoked the intake ${name}` }))
        return { name }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

/** The time of the last call of each switch, among the newest calls of the last days. */
async function lastCallsOf({ store, settings, clock }: ConsoleRequest): Promise<ReadonlyMap<string, string>> {
  const till = today(clock(), settings.Timezone)
  const days = daysInTable({ from: addDays(till, 1 - READ_DAYS), till }, settings)
  const every = { matches: () => true, count: READ_CALLS, mostRead: READ_CALLS, after: undefined }
  const { calls } = await newestCalls(store, { of: ['everyone'], days, shards: settings.shards, ...every })
  return new Map(
    calls
      .toReversed()
      .flatMap(({ source, calldate }) =>
        source === undefined ? [] : [[source, formatDateTime(calldate, settings.Timezone)] as const],
      ),
  )
}
