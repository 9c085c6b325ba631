import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { type Profile, profileOf } from './profile.ts'

/** The profile of the last sheet that the console imported into a tariff, in JSON. */
export const sheetProfileKey = keyForm('TARIFF#<id>', 'SHEETPROFILE')

/** The next sheet of the carrier is read by it. Undefined before the first one. */
export async function findKeptProfile(store: Store, tariffId: number): Promise<Profile | undefined> {
  const kept = await store.get(sheetProfileKey(tariffId))
  return kept && profileOf(String(kept['profile']), 'The kept profile')
}

export const keepProfile = (tariffId: number, profile: Profile): Change => ({
  put: { ...sheetProfileKey(tariffId), profile: JSON.stringify(profile) },
})
