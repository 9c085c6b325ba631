import { findNamedAccounts } from '#lib/accounts/former-name.ts'
import { lookalikes } from '#lib/accounts/lookalikes.ts'
import type { ColumnProblem } from '#lib/base/row-refused.ts'
import { nextIds } from '#lib/table/id-counter.ts'
import type { Item } from '#lib/table/items.ts'
import { accountKey, callerKey, keyIn } from '#lib/table/keys.ts'
import { absent, absentOrIs, type Change, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { claimKey, type Dialled, dialledWords } from './dialled.ts'

// An account code is a username, then the id of an account; a code that is neither leads to the device. So a
// text that one customer chooses must not be the id or the device that the operator gave to another.

/** The account or device that has a text already. */
export interface NameHolder {
  readonly is: 'device' | 'account' | 'lookalike'
  readonly id: number
}

/** The id that a text writes; `010` may be that of another system. */
export const idWritten = (text: string): number | undefined =>
  /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined

/** Finds the holder of each new username as name, extension or id, or a username that looks alike. */
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
    const items = found.slice(at, at + keys.length)
    const holder = items.find((item) => item?.['id'] !== undefined && !isOfAccount(item, names[index]?.id))
    at += keys.length
    return holder && { is: kindOfHolder(holder), id: Number(holder['id']) }
  })
}

/** An account may change its name to one that looks like its own. */
const isOfAccount = (item: Item, id: number | undefined): boolean =>
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

// An account and a device look for each other before they take a word. The account also notes itself at the
// claim of the word, which a device writes anyway: of two at the same moment the second one fails there.

/**
 * The changes of an account at the claim of the username that it takes, and at the claim, as read, of the
 * one that it gives up: a device of the account may have replaced the note.
 */
export const usernameNotes = (
  { id, username }: { readonly id: number; readonly username: string },
  given?: Item,
): Change[] => [
  { update: claimKey(username), to: { set: { account_id: id } }, when: { id: absent } },
  ...usernameGivenUp(id, given),
]

/** The changes of an account that gives up its username, or is removed, at the claim of it, as read. */
export const usernameGivenUp = (id: number, given: Item | undefined): Change[] =>
  given?.['account_id'] === id ? [{ remove: keyIn(given), when: { account_id: is(id) } }] : []

/** The conditions that no other account takes a new word of a device. Pairs of a dataset have none. */
export const wordsNotNoted = (
  before: Dialled | undefined,
  after: Dialled & { readonly user_id: number },
  pairs: readonly string[] = [],
): Change[] =>
  newWords(before, after)
    .filter((word) => !pairs.includes(word))
    .map((word) => ({ check: claimKey(word), when: { account_id: absentOrIs(after.user_id) } }))

export const newWords = (before: Dialled | undefined, after: Dialled): string[] =>
  dialledWords(after).filter((word) => before === undefined || !dialledWords(before).includes(word))

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
