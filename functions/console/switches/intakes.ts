import { actOperation } from '#lib/api/console/act-operation.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { addDays, formatDateTime, formatIso, secondsOf, today } from '#lib/base/calendar.ts'
import { newestCalls } from '#lib/calls/call-page.ts'
import { daysInTable } from '#lib/calls/retention.ts'
import { suspendedAfter } from '#lib/cdrs/suspense/suspense.ts'
import { addIntake, revokeIntake } from '#lib/cdrs/switches/intake-acts.ts'
import { listIntakes } from '#lib/settings/intake.ts'
import { describeClock, findSwitchClocks, needsAttention } from '#lib/settings/switch-clock.ts'

/** The number of calls and suspended CDRs that the list reads: no index has them by switch. */
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
      run: async (request) => {
        const { store, settings } = request
        const intakes = await listIntakes(store)
        const names = intakes.map(({ name }) => name)
        const [clocks, last, suspended] = await Promise.all([
          findSwitchClocks(store, names, secondsOf(request.clock())),
          lastCallsOf(request),
          suspendedAfter(store, '', READ_SUSPENDED),
        ])
        return {
          intakes: intakes.map(({ name, zone = null, added_at }, index) => ({
            name,
            zone,
            clock: clocks[index] === undefined ? null : describeClock(clocks[index]),
            isClockOff: needsAttention(clocks[index]),
            added: formatIso(added_at, settings.Timezone),
            lastCall: last.get(name) ?? null,
            suspended: suspended.filter(({ source }) => source === name).length,
          })),
          read: { calls: READ_CALLS, days: READ_DAYS, suspended: READ_SUSPENDED },
        }
      },
    }),
    operation('GET', '/intakes/clocks', {
      summary: 'The switches whose clocks are off by more than 5 seconds',
      callers: ['admin'],
      run: async ({ store, clock }) => {
        const names = (await listIntakes(store)).map(({ name }) => name)
        const clocks = await findSwitchClocks(store, names, secondsOf(clock()))
        return {
          off: names.flatMap((name, index) => {
            const ahead = clocks[index]
            return needsAttention(ahead) ? [{ name, clock: describeClock(ahead) }] : []
          }),
        }
      },
    }),
    actOperation('POST', '/intakes', addIntake, {
      show: (_request, { name }, { secret }) => ({ name, secret: secret?.text ?? null }),
    }),
    actOperation('DELETE', '/intakes/{name}', revokeIntake),
  ],
})

export const handler = consoleLambda(resource)

/** The time of the last call of each switch, among the newest calls of the last days. */
async function lastCallsOf({ store, settings, clock }: ConsoleRequest): Promise<ReadonlyMap<string, string>> {
  const till = today(clock(), settings.Timezone)
  const days = daysInTable({ from: addDays(till, 1 - READ_DAYS), till }, settings)
  const every = { matches: () => true, count: READ_CALLS, mostRead: READ_CALLS, after: undefined }
  const { calls } = await newestCalls(store, { of: ['everyone'], days, settings, ...every })
  return new Map(
    calls
      .toReversed()
      .flatMap(({ source, calldate }) =>
        source === undefined ? [] : [[source, formatDateTime(calldate, settings.Timezone)] as const],
      ),
  )
}
