import { type Account, findAccounts } from '#lib/accounts/account.ts'
import { type AccountText, listTexts } from '#lib/accounts/account-text.ts'
import { foldedWords, hasWords, searchedText } from '#lib/accounts/name-search.ts'
import { actsFor, seesAccount, seesEveryone } from '#lib/base/scope.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { findHolders } from '#lib/devices/dialled.ts'
import { invalidValue } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'

/** Each row is an account that is read by its id, for half a unit. */
const PAGE_ROWS = 16

/** The most texts that a page reads, for about seven units: `a b` may match none of thousands. */
const MOST_TEXTS = 240

const TEXTS_AT_ONCE = 60

export interface FoundCustomers {
  readonly found: Account[]
  readonly next: string | null
}

type Searching = Pick<ConsoleRequest, 'store' | 'caller'>

/**
 * The customer with this id, then those with a word of their name that starts with the text, in the order of
 * what follows; without a text all, by name. Without a match, each word is looked for alone, and
 * last a device's name or number.
 */
export async function searchCustomers(
  request: Searching,
  { search = '', after }: { readonly search: string | undefined; readonly after: string | undefined },
): Promise<FoundCustomers> {
  const attempts = attemptsFor(search).filter(({ beginning }) => after?.startsWith(beginning) ?? true)
  if (after !== undefined && (attempts.length === 0 || !POSITION.test(after)))
    throw invalidValue(`after is "${after}": it is not a valid page key`)
  for (const attempt of attempts) {
    const page = await customersWith(request, attempt, after)
    if (page.found.length > 0 || page.next !== null) return page
  }
  return { found: after === undefined ? await ownersOfDevice(request, search) : [], next: null }
}

const POSITION = /^[\p{L}\p{N} ]{0,40}#\d{15}$/u

interface Attempt {
  /** The beginning of a text of the account. */
  readonly beginning: string
  /** Each is the beginning of a word of the names. */
  readonly words: readonly string[]
}

function attemptsFor(search: string): Attempt[] {
  const words = foldedWords(search)
  if (words.length === 0) return search === '' ? [{ beginning: '', words }] : []
  const whole = { beginning: searchedText(search), words: [] }
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one))
  return words.length === 1 ? [whole] : [whole, { beginning: searchedText(longest), words }]
}

async function customersWith(
  { store, caller }: Searching,
  attempt: Attempt,
  after: string | undefined,
): Promise<FoundCustomers> {
  const owner = seesEveryone(caller) ? undefined : actsFor(caller)
  const texts = listTexts(store, { owner, beginning: attempt.beginning, after, pageSize: TEXTS_AT_ONCE })
  const { shown, next } = await pageOf(texts, attempt)
  const id = idIn(attempt)
  const others = shown.map((one) => one.id).filter((one) => one !== id)
  const ids = id === undefined || after !== undefined ? others : [id, ...others]
  const accounts = await findAccounts(store, ids, 'eventual')
  const found = accounts.filter((account) => account !== undefined)
  return { found: found.filter((account) => seesAccount(caller, account)), next }
}

const idIn = ({ beginning, words }: Attempt): number | undefined =>
  words.length === 0 && /^\d{1,15}$/.test(beginning) ? Number(beginning) : undefined

/** The places that a page shows, and the place after which the next one continues. */
async function pageOf(pages: AsyncIterable<AccountText[]>, { beginning, words }: Attempt) {
  const shown: AccountText[] = []
  let read = 0
  for await (const page of pages) {
    read += page.length
    shown.push(...page.filter((one) => isFirst(one, beginning) && hasWords(one.texts, words)))
    if (shown.length > PAGE_ROWS)
      return { shown: shown.slice(0, PAGE_ROWS), next: shown[PAGE_ROWS - 1]?.sortKey ?? null }
    if (read >= MOST_TEXTS) return { shown, next: page.at(-1)?.sortKey ?? null }
  }
  return { shown, next: null }
}

/** `anna adams` is found twice by `a`, and shown where it comes first. */
const isFirst = ({ texts, sortKey }: AccountText, beginning: string): boolean =>
  sortKey.startsWith(`${texts.find((text) => text.startsWith(beginning))}#`)

/** The account whose device has this name or number. */
async function ownersOfDevice({ store, caller }: Searching, word: string): Promise<Account[]> {
  const [holder] = await findHolders(store, [word])
  const [device] = holder ? await findDevices(store, [holder.id]) : []
  const [account] = device ? await findAccounts(store, [device.user_id]) : []
  return account && seesAccount(caller, account) ? [account] : []
}
