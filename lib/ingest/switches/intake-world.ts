import { type Seconds, secondsOf } from '#lib/domain/calendar.ts'
import { readSettings, type Settings } from '#lib/domain/settings.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/** What records of switches are taken into. */
export interface IntakeWorld {
  readonly store: Store
  readonly settings: Settings
  readonly now: Seconds
}

/** Settings are as they are now. */
export async function openIntakeWorld(store: Store, now: Date): Promise<IntakeWorld> {
  return { store, settings: readSettings(await findSettings(store)), now: secondsOf(now) }
}
