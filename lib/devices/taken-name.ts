import { findNamedAccounts } from '#lib/accounts/former-name.ts'
import { lookalikes } from '#lib/accounts/lookalikes.ts'
import type { ColumnProblem } from '#lib/base/row-refused.ts'
import { nextIds } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, keyForm } from '#lib/table/keys.ts'
import { absentOrBelow, type Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { claimKey, type Dialled, wordsOf } from './dialled.ts'

// An account code is a username, then the id of an account; a code that is neither leads to the device. So a
// text that one customer chooses must not be the id or the device that the operator gave to another.

/** What has a text already. */
export interface NameHolder {
  readonly is: 'device' | 'account' | 'lookalike'
  readonly id: number
}

/** The id that a text writes; `010` may be that of another system. */
export const idWritten = (text: string): number | undefined =>
  /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined

/** Finds, for each new username, what has it as name, extension or id, or a username that it looks like. */
export async function findNameHolders(
  store: Store,
  names: readonly { readonly id?: number | undefined; readonly username: string }[],
): Promise<(NameHolder | undefined)[]> {
  const keysOf = names.map(({ id, username }) => {
    const written = idWritten(username)
    return [
      claimKey(username),
      ...(written === undefined || written === id ? [] : [accountKey(written)]),
      ...lookalikes(username).map((name) => callerKey(name)),
    ]
  })
  const found = await store.getMany(keysOf.flat())
  let at = 0
  return keysOf.map((keys, index) => {
    const holder = found.slice(at, at + keys.length).find((item) => item && !isOwn(item, names[index]?.id))
    at += keys.length
    return holder && { is: kindOfHolder(holder), id: Number(holder['id']) }
  })
}

/** An account may change its name to one that looks like its own. */
const isOwn = (item: Item, id: number | undefined): boolean =>
  kindOfHolder(item) !== 'device' && item['id'] === id

function kindOfHolder({ SK }: Item): NameHolder['is'] {
  if (SK === 'CALLER') return 'lookalike'
  return SK === 'USER' ? 'account' : 'device'
}

const HELD = {
  device: { noun: 'device', as: 'the name or extension' },
  account: { noun: 'account', as: 'the id' },
  lookalike: { noun: 'account', as: 'mistaken for the username' },
}

/** Why a new username cannot be taken. */
export const takenUsername = ({ is, id }: NameHolder): ColumnProblem => ({
  code: 'taken',
  field: 'username',
  values: { ...HELD[is], id },
})

// Turns

/**
 * When an account, and when a device, took a word. Both look for the other before they write, and the role of
 * the methods of devices has no access to the items of logins: of two at the same moment the second one fails
 * at this item. DynamoDB removes it later.
 */
export const wordTurnKey = keyForm('RACES#<word>', 'WORD')

/** Longer than a request may run. */
const TURN_SECONDS = 60
const KEPT_SECONDS = 600

type Taker = 'account' | 'device'

function turnOf(word: string, by: Taker, does: 'take' | 'give up'): Change {
  const now = Math.floor(Date.now() / 1000)
  const [other, isTaken] = [by === 'account' ? 'device' : 'account', does === 'take'] as const
  const set = { [by]: isTaken ? now : 0, expires_at: now + KEPT_SECONDS }
  const when = isTaken ? { [other]: absentOrBelow(now - TURN_SECONDS) } : {}
  return { update: wordTurnKey(word), to: { set }, when }
}

/** What an account that takes a username, and gives up another one, changes at the turns of both. */
export const usernameTurns = (after: string, before?: string): Change[] =>
  after === before
    ? []
    : [
        turnOf(after, 'account', 'take'),
        ...(before === undefined ? [] : [turnOf(before, 'account', 'give up')]),
      ]

/** What a device that takes words, or gives some up, changes: but for the username of its own account. */
export function deviceTurns(
  before: Dialled | undefined,
  after: Dialled | undefined,
  username?: string,
): Change[] {
  const [had, has] = [before ? wordsOf(before) : [], after ? wordsOf(after) : []]
  return [
    ...has
      .filter((word) => !had.includes(word) && word !== username)
      .map((word) => turnOf(word, 'device', 'take')),
    ...had.filter((word) => !has.includes(word)).map((word) => turnOf(word, 'device', 'give up')),
  ]
}

/** Finds, for each word, the account that has it as its username, unless it is this one. */
export async function findNamesakes(
  store: Store,
  words: readonly string[],
  accountId?: number,
): Promise<(number | undefined)[]> {
  const accounts = await findNamedAccounts(store, words)
  return accounts.map((account) => (account?.id === accountId ? undefined : account?.id))
}

/** The id, or a later one of the counter if an account has it as its username. It skips more each time. */
export async function noUsername(store: Store, id: number): Promise<number> {
  for (let [free, skipped] = [id, 1]; ; skipped *= 2) {
    const [namesake] = await findNamesakes(store, [String(free)])
    if (namesake === undefined) return free
    free = (await nextIds(store, 'account', skipped)) + skipped - 1
  }
}
