import { locationKey } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'
import { finder, type OwnedObject, replacer } from './owned-object.ts'

// Access patterns

export const findLocations = finder(locationKey)
export const replaceLocation = replacer(locationKey)

export const findLocation = async (store: Store, locationId: number): Promise<OwnedObject | undefined> =>
  (await findLocations(store, [locationId]))[0]
