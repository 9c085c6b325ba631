import { type HeldKey, listNamedKeys } from '#lib/accounts/named-key-stored.ts'
import { addKey, revokeKey, rotateKey } from '#lib/acts/accounts/key-acts.ts'
import type { ActOutcome } from '#lib/acts/act.ts'
import { actOperation } from '#lib/api/console/act-operation.ts'
import type { KeysAnswer } from '#lib/api/console/answers/installation.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatDateTime, type Seconds, secondsOf } from '#lib/base/calendar.ts'

const shown = {
  show: (
    _request: ConsoleRequest,
    { name }: { readonly name: string },
    { secret, remarks = [] }: ActOutcome<unknown>,
  ) => ({ name, secret: secret?.text ?? null, remarks: [...remarks] }),
}

export const resource = defineResource({
  name: 'keys',
  access: 'write',
  operations: [
    operation('GET', '/keys', {
      summary: 'The keys of integrations, by name. No answer holds a secret.',
      callers: ['admin'],
      run: async ({ store, settings, clock }) => {
        const written = (moment: Seconds) => formatDateTime(moment, settings.Timezone)
        const now = secondsOf(clock())
        return { keys: (await listNamedKeys(store)).map((held) => keyRow(held, now, written)) }
      },
    }),
    actOperation('POST', '/keys', addKey, shown),
    actOperation('POST', '/keys/{name}/rotate', rotateKey, shown),
    actOperation('DELETE', '/keys/{name}', revokeKey),
  ],
})

export const handler = consoleLambda(resource)

function keyRow(
  { key, caller }: HeldKey,
  now: Seconds,
  written: (moment: Seconds) => string,
): KeysAnswer['keys'][number] {
  const { name, methods, from, v2_only, added_at, rotated_at, previous } = key
  return {
    name,
    account: { id: caller.id, name: displayName(caller) },
    methods: [...methods],
    from: from || null,
    isV2Only: v2_only,
    added: written(secondsOf(new Date(added_at))),
    rotated: rotated_at === undefined ? null : written(secondsOf(new Date(rotated_at))),
    previousUntil: previous && previous.until > now ? written(previous.until) : null,
  }
}
