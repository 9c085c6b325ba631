import { createHash } from 'node:crypto'
import type { Seconds } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { add, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { exactly, type Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/**
 * The holds of an account's calls, each an attribute of one call. The item is in no transaction, which would
 * refuse plain writes of holds, and is never removed: its epoch must not restart.
 */
export const holdsKey = keyForm('HOLDS#<account>', 'HOLDS')

export interface Hold {
  readonly amount: Money
  /** The longest call that the amount pays. */
  readonly seconds: number
  /** From then on the hold may be dropped. */
  readonly until: Seconds
  /** The moment of the request, in milliseconds. */
  readonly at: number
  /** Tells the request that wrote the hold; ADOPTED if further requests rely on it. */
  readonly nonce: string
}

/** The nonce of a hold of an owner that no refused request may release. */
export const ADOPTED = '-'

/** The item of an account. Its holds stay text, which the conditions of writes name. */
export interface Holds {
  readonly held: Money
  readonly open: number
  readonly epoch: number
  /** Keyed by the name of their attribute. */
  readonly texts: ReadonlyMap<string, string>
}

/** Earlier releases gave 8 bytes, and the caller of a SIP proxy chooses its Call-ID. */
const HOLD_NAME = /^h[\w-]{11}(?:[\w-]{11})?$/

/** The attribute of a call: 128 bits of a digest of switch and unique id. */
export const holdName = ({ source, uniqueid }: Pick<CallIdentity, 'source' | 'uniqueid'>): string =>
  nameOf(
    createHash('sha256')
      .update(JSON.stringify([source, uniqueid]))
      .digest()
      .subarray(0, 16),
  )

const nameOf = (digest: Buffer): string => `h${digest.toString('base64url')}`

/** The name of a call's hold in an item: the earlier one of 8 bytes until the last such hold has ended. */
export function storedName({ texts }: Holds, name: string): string {
  const earlier = nameOf(Buffer.from(name.slice(1), 'base64url').subarray(0, 8))
  return !texts.has(name) && texts.has(earlier) ? earlier : name
}

export const holdText = ({ amount, seconds, until, at, nonce }: Hold): string =>
  [amount, seconds, until, at, nonce].join(' ')

export function readHold(text: string): Hold {
  const [amount = ZERO, seconds, until, at, nonce = ''] = text.split(' ')
  return { amount, seconds: Number(seconds), until: Number(until), at: Number(at), nonce }
}

export const readHolds = (item: Item = {}): Holds => ({
  held: add(String(item['held'] ?? ZERO)),
  open: Number(item['open'] ?? 0),
  epoch: Number(item['epoch'] ?? 0),
  texts: new Map(
    Object.entries(item).flatMap(([name, text]) =>
      HOLD_NAME.test(name) ? [[name, String(text)] as const] : [],
    ),
  ),
})

/** The holds of accounts, as they are now, in the order of the ids. */
export const findHolds = async (store: Store, accountIds: readonly number[]): Promise<Holds[]> =>
  (await store.getMany(accountIds.map((id) => holdsKey(id)))).map(readHolds)

/** The update that removes holds, if each of them is as it was read. */
export function releaseUpdate(
  accountId: number,
  texts: ReadonlyMap<string, string>,
): Extract<Change, { update: unknown }> {
  const amounts = [...texts.values()].map((text) => readHold(text).amount)
  return {
    update: holdsKey(accountId),
    to: {
      set: Object.fromEntries([...texts.keys()].map((name) => [name, undefined])),
      add: { held: exactly(subtract(ZERO, add(...amounts))), open: -texts.size, epoch: 1 },
    },
    when: Object.fromEntries([...texts].map(([name, text]) => [name, is(text)])),
  }
}
