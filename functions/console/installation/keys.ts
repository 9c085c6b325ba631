import { isKeyName, type NamedKey } from '#lib/accounts/named-key.ts'
import { changeNamedKey, findNamedKey, type HeldKey, listNamedKeys } from '#lib/accounts/named-key-stored.ts'
import { type KeysAnswer, keysAnswer, revokedAnswer } from '#lib/api/console/answers/keys.ts'
import { unknownThing } from '#lib/api/console/refusals.ts'
import { defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { sentText } from '#lib/api/console/values.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatDateTime, type Seconds, secondsOf } from '#lib/base/calendar.ts'

export const resource = defineResource({
  name: 'keys',
  access: 'write',
  operations: [
    operation('GET', '/keys', {
      summary: 'The keys of integrations, by name. No answer holds a secret.',
      callers: ['admin'],
      answer: keysAnswer,
      run: async ({ store, settings, clock }) => {
        const written = (moment: Seconds) => formatDateTime(moment, settings.Timezone)
        const now = secondsOf(clock())
        return { keys: (await listNamedKeys(store)).map((held) => keyRow(held, now, written)) }
      },
    }),
    operation('DELETE', '/keys/{name}', {
      summary: 'Revokes a key within a second, and logs it.',
      callers: ['admin'],
      params: { name: sentText },
      answer: revokedAnswer,
      run: async ({ store, logged, params: { name } }) => {
        const held = isKeyName(name) ? await findNamedKey(store, name) : undefined
        if (!held) throw unknownThing('key', name)
        const { id, username } = held.caller
        const to = (stored: NamedKey | undefined) => {
          if (!stored) throw unknownThing('key', name)
          return undefined
        }
        const logEntry = logged({ account: username, account_id: id, did: `lost the key ${name}` })
        await changeNamedKey(store, { accountId: id, name, to, logEntry })
        return { name }
      },
    }),
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
