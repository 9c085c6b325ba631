import { memoize } from '#lib/base/collections.ts'
import { type Destination, destinationIn, directoryList, findDirectory } from '#lib/rates/destination.ts'
import { pagesOf } from '#lib/rates/prefix-versions.ts'
import { numberPrefixes, ratedDigits } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'

/** Finds the destination of a dialled number in the directory; `undefined` for an unknown one. */
export type LocateNumber = (dialled: string) => Destination | undefined

const MAX_REMEMBERED_NUMBERS = 100_000

/** Reads the directory of destinations into memory. The longest prefix of a number decides, as in rating. */
export async function openDirectory(store: Store, settings: Settings): Promise<LocateNumber> {
  const byPrefix = new Map<string, Destination>()
  for await (const lines of pagesOf(store, directoryList, await findDirectory(store))) {
    for (const line of lines) {
      const destination = destinationIn(line)
      byPrefix.set(destination.prefix, destination)
    }
  }
  return memoize(
    (dialled) => {
      const prefix = numberPrefixes(ratedDigits(dialled, settings)).find((part) => byPrefix.has(part))
      return prefix === undefined ? undefined : byPrefix.get(prefix)
    },
    { max: MAX_REMEMBERED_NUMBERS },
  )
}
