import pMap from 'p-map'
import { findAccounts } from '#lib/accounts/account.ts'
import { valueAt } from '#lib/accounts/account-history.ts'
import { memoize } from '#lib/base/collections.ts'
import { type Destination, destinationIn, directoryList, findDirectory } from '#lib/rates/destination.ts'
import { createPageMemory, pagesOf } from '#lib/rates/prefix-versions.ts'
import { numberPrefixes, ratedDigits } from '#lib/rates/rating.ts'
import { findTariff, fromLine, ratesOf } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import type { Store } from '#lib/table/store.ts'
import { type Call, ratedText } from '../call.ts'
import { freeReasonIn } from '../rating/call-rating.ts'

type LocateCall = (call: Call) => Destination | undefined

/** Finds the destinations of a batch of calls. */
export type LocateCalls = (calls: readonly Call[]) => Promise<LocateCall>

const MAX_REMEMBERED_NUMBERS = 100_000

const RATES_AT_ONCE = 16

/**
 * Finds destinations by the longest prefix of the number: in the directory, or otherwise among the present
 * rates of the tariff that its customer had then. The directory is in memory; of the rates, each page that is
 * needed is read once.
 */
export async function openDirectory(store: Store, settings: Settings): Promise<LocateCalls> {
  const listed = await readDirectory(store)
  const locateRated = openRatedNames(store, settings)
  const inDirectory = (call: Call) => listed(digitsOf(call, settings))
  return async (calls) => {
    const rated = await locateRated(calls.filter((call) => !inDirectory(call)))
    return (call) => inDirectory(call) ?? rated(call)
  }
}

const digitsOf = (call: Call, settings: Settings): string => ratedDigits(ratedText(call), settings)

async function readDirectory(store: Store): Promise<(digits: string) => Destination | undefined> {
  const byPrefix = new Map<string, Destination>()
  for await (const lines of pagesOf(store, directoryList, await findDirectory(store))) {
    for (const line of lines) {
      const destination = destinationIn(line)
      byPrefix.set(destination.prefix, destination)
    }
  }
  return memoize(
    (digits) => {
      const prefix = numberPrefixes(digits).find((part) => byPrefix.has(part))
      return prefix === undefined ? undefined : byPrefix.get(prefix)
    },
    { max: MAX_REMEMBERED_NUMBERS },
  )
}

/** Finds the rate with the longest prefix that has a name, in the tariff that the customer had then. */
export function openRatedNames(store: Store, settings: Settings): LocateCalls {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  const tariffOf = memoize((id: number) => findTariff(store, id))
  const findLines = createPageMemory(store)
  const find = memoize(
    async ({ tariffId, digits }: { readonly tariffId: number; readonly digits: string }) => {
      const tariff = await tariffOf(tariffId)
      const rates = tariff ? await findLines(ratesOf(tariff.id), tariff.active, digits) : []
      return rates.map(fromLine).findLast(({ destination }) => destination !== '')
    },
    { max: MAX_REMEMBERED_NUMBERS, by: ({ tariffId, digits }) => `${tariffId} ${digits}` },
  )
  return async (calls) => {
    const rated = calls.filter((call) => !call.incoming && freeReasonIn(call) === undefined)
    const accounts = await accountsOf(rated.map(({ user_id }) => user_id))
    const locate = async (call: Call) => {
      const account = accounts.get(call.user_id)
      const tariffId = account && valueAt(account, 'tariff_id', call.calldate)
      const found = tariffId === undefined ? undefined : find({ tariffId, digits: digitsOf(call, settings) })
      return [call, await found] as const
    }
    const named = new Map(await pMap(rated, locate, { concurrency: RATES_AT_ONCE }))
    return (call) => named.get(call)
  }
}
