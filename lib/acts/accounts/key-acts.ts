import { randomBytes } from 'node:crypto'
import { ALL_METHODS, isKeyName, type NamedKey } from '#lib/accounts/named-key.ts'
import {
  findKeysOf,
  findNamedKey,
  type HeldKey,
  keyChanges,
  listNamedKeys,
} from '#lib/accounts/named-key-stored.ts'
import SIGNED_METHODS from '#lib/accounts/signed-methods.json' with { type: 'json' }
import { formatDateTime, HOUR_SECONDS, secondsOf } from '#lib/base/calendar.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { MAX_TEXT_LENGTH } from '#lib/base/text.ts'
import { isAddressList } from '#lib/base/trusted-addresses.ts'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { defineAct } from '../act.ts'
import { accountInput, type Input, inputOf, optionalInput, switchInput } from '../inputs.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly key_exists: { readonly key: string }
    readonly unknown_method: { readonly method: string; readonly nearest: readonly string[] }
  }
}

const callers = ['admin'] as const

const SECRET_BYTES = 24

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex')

/** The methods of names or aliases, each once. */
const methodsInput: Input<readonly string[]> = {
  ...inputOf<readonly string[]>('list of methods', 'METHODS', () => [])(
    'the methods that it signs, with commas between them; all: every one',
  ),
  read: (text, field) => {
    const names = text.split(',').map((name) => name.trim())
    if (names.includes(ALL_METHODS)) return [ALL_METHODS]
    const methodOf = new Map<string, string>(Object.entries(SIGNED_METHODS))
    const methods = names.map((name) => {
      const method: string | undefined = methodOf.get(name)
      if (method) return method
      throw new Refusal(
        'unknown_method',
        { method: name, nearest: nearestNames(name, methodOf.keys()) },
        field,
      )
    })
    return [...new Set(methods)].sort()
  },
}

export const addKey = defineAct({
  summary: 'Add a key that signs for one account, and show its secret once',
  callers,
  input: {
    name: inputOf('name of at most 40 letters, digits, - and _', 'NAME', (text) =>
      isKeyName(text) ? text : undefined,
    )('the name of the key'),
    as: accountInput('the account that the key signs for: the parameter u of its requests'),
    methods: methodsInput,
    from: optionalInput(
      inputOf(
        'list of addresses and ranges such as 10.0.0.0/8, with commas between them',
        'ADDRESSES',
        (text) => (isAddressList(text) && text.length <= MAX_TEXT_LENGTH ? text : undefined),
      )('the IP addresses and ranges of its clients, with commas between them (default: any)'),
    ),
    v2Only: switchInput('refuse the SHA-1 hash: the key takes the v2 signature only'),
    signAll: switchInput('refuse the hash of payment_create that leaves the transaction open'),
  },
  run: async ({ store, now }, { name, as, methods, from = '', v2Only = false, signAll }) => {
    if (await findNamedKey(store, name)) throw new Refusal('key_exists', { key: name }, 'name')
    const { id, username, blocked } = as
    const secret = newSecret()
    const limits = { methods, from, v2_only: v2Only, ...(signAll && { sign_all: true }) }
    const key: NamedKey = { name, secret, ...limits, added_at: now.toISOString() }
    return {
      changes: keyChanges(await findKeysOf(store, id), name, key),
      answer: { name },
      secret: { name, text: secret },
      remarks: blocked ? [`warning: the account ${username} is blocked, so its keys are refused`] : [],
      log: { account: username, account_id: id, did: `got the key ${name}` },
    }
  },
})

const keyInput: Input<HeldKey> = {
  takes: 'name of a key',
  placeholder: 'NAME',
  says: 'the name of the key',
  isOptional: false,
  read: async (given, field, { store }) => {
    const held = isKeyName(given) ? await findNamedKey(store, given) : undefined
    if (held) return held
    const nearest = nearestNames(
      given,
      (await listNamedKeys(store)).map(({ key }) => key.name),
    )
    throw new Refusal('unknown_name', { noun: 'key', name: given, nearest }, field)
  },
}

/** The account with its keys. Throws ConditionFailed if the key was rotated or revoked since it was found. */
async function holderOf(store: Store, { name, secret }: NamedKey, { id }: HeldKey['caller']) {
  const holder = await findKeysOf(store, id)
  if (holder.keys?.some((one) => one.name === name && one.secret === secret)) return holder
  throw new ConditionFailed([], {})
}

const MAX_OVERLAP_HOURS = 720
const DEFAULT_OVERLAP_HOURS = 24

/** The present secret signs for the overlap. An earlier one no longer does. */
export const rotateKey = defineAct({
  summary: 'Give a key another secret and show it once; the present one signs for some more hours',
  callers,
  input: {
    name: keyInput,
    overlap: optionalInput(
      inputOf(`number of hours from 0 to ${MAX_OVERLAP_HOURS}`, 'HOURS', (text) =>
        /^\d{1,3}$/.test(text) && Number(text) <= MAX_OVERLAP_HOURS ? Number(text) : undefined,
      )(`how long the present secret signs; 0 ends it at once (default: ${DEFAULT_OVERLAP_HOURS})`),
    ),
  },
  run: async ({ store, settings, now }, { name: { key, caller }, overlap = DEFAULT_OVERLAP_HOURS }) => {
    const secret = newSecret()
    const until = secondsOf(now) + overlap * HOUR_SECONDS
    const { previous: _, ...kept } = key
    const after = {
      ...kept,
      secret,
      rotated_at: now.toISOString(),
      ...(overlap > 0 && { previous: { secret: key.secret, until } }),
    }
    const zone = settings.Timezone
    const previous =
      overlap > 0
        ? `signs until ${formatDateTime(until, zone)} (${zone})`
        : 'is refused from the next second on'
    return {
      changes: keyChanges(await holderOf(store, key, caller), key.name, after),
      answer: { name: key.name },
      secret: { name: key.name, text: secret },
      remarks: [`The previous one ${previous}`],
      log: {
        account: caller.username,
        account_id: caller.id,
        did: `got another secret for the key ${key.name}`,
      },
    }
  },
})

export const revokeKey = defineAct({
  summary: 'Refuse a key from the next second on',
  callers,
  input: { name: keyInput },
  run: async ({ store }, { name: { key, caller } }) => ({
    changes: keyChanges(await holderOf(store, key, caller), key.name, undefined),
    answer: { name: key.name },
    log: { account: caller.username, account_id: caller.id, did: `lost the key ${key.name}` },
  }),
})
