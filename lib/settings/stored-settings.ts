import type { Item } from '#lib/table/items.ts'
import { keyForm } from '#lib/table/keys.ts'
import { absent, is, type Term } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { requireFormat } from '#lib/table/table-format.ts'
import { SETTINGS } from './declared-settings.ts'
import { readSettings, type SettingName, type Settings } from './settings.ts'

/** All settings are attributes of one item. */
export const settingsKey = keyForm('SETTINGS', 'SETTINGS')()

/** The stored texts by name. A setting that was never set is missing. Throws UnreadableTable. */
export async function findSettings(store: Store): Promise<Item> {
  const settings = await store.get(settingsKey)
  requireFormat(settings)
  return settings ?? {}
}

/** The settings with typed values and defaults. */
export const settingsOf = async (store: Store): Promise<Settings> => readSettings(await findSettings(store))

/** The stored text of a setting, otherwise its default. */
export function settingIn(stored: Item, name: SettingName): string {
  const own = stored[name]
  return typeof own === 'string' ? own : SETTINGS[name].default
}

/** The attribute with the digest of the dataset row that set a setting. */
export const settingDigestName = (name: string): string => `digest_${name}`

export const digestOfSetting = (stored: Item, name: string): unknown => stored[settingDigestName(name)]

/** The condition that an attribute of the settings is as it was read. */
export const asStored = (stored: Item, name: string): Term =>
  stored[name] === undefined ? absent : is(stored[name])
