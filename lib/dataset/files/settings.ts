import pMap from 'p-map'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { unknownCurrencies } from '#lib/dataset/format/references.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import {
  isSettingName,
  PAIRED_SETTINGS,
  readSettings,
  SETTINGS,
  type SettingName,
  type Settings,
  settingError,
  settingNames,
  settingsContradiction,
  settingWarning,
} from '#lib/domain/settings.ts'
import { type Row, requiredText, text } from '#lib/store/columns.ts'
import {
  digestOfSetting,
  findSettings,
  replaceSetting,
  settingObstacle,
  settingsKey,
} from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { isSameKey, keyIn } from '#lib/store/keys.ts'
import type { Store } from '#lib/store/store.ts'

const columns = { name: requiredText, value: text() }

type SettingRow = Row<typeof columns>

export const settingsFile: RowFormat<SettingRow> = {
  columns,
  // A value under a misspelled name may be a secret, so every value is treated as one.
  secrets: ['value'],
  keyColumns: ['name', 'value'],
  exported: {
    holds: (item) => isSameKey(keyIn(item), settingsKey),
    rows: storedSettings,
    isSecret: ({ name }) => isSettingName(String(name)) && 'masked' in SETTINGS[name as 'API_Secret_Key'],
  },
  claims: ({ name }) => [`setting ${name}`],
  check: async (entries, { accepted, store }) => {
    const stored = readSettings(await findSettings(store))
    return pMap(entries, async ({ line, row: { name, value } }) => {
      if (!isSettingName(name)) return `name: there is no setting ${JSON.stringify(name)}`
      const problem = settingError(name, value) ?? (await timezoneObstacle(name, value, stored, store))
      if (problem === undefined) accepted.settings.set(name, { line, value })
      return problem
    })
  },
  checkWhole: refuseContradictions,
  checkLast: refuseUnknownCurrency,
  remarks: ({ accepted }) =>
    [...accepted.settings].flatMap(([name, { value }]) => settingWarning(name, value) ?? []),
  ...rowByRow<SettingRow, Item>({
    lane: () => 0,
    find: async (rows, { store }) => {
      const stored = await findSettings(store)
      return rows.map(() => stored)
    },
    columnsIn: () => undefined,
    isStored: ({ row: { name, value } }, stored) => stored[name] === value,
    storedDigest: (stored, { name }) =>
      stored[name] === undefined ? undefined : { digest: digestOfSetting(stored, name) },
    write: async ({ row: { name, value }, digest }, stored, { store, clock }) => {
      if (digestOfSetting(stored, name) === digest) return 'unchanged'
      const at = clock().toISOString()
      const before = String(stored[name] ?? '')
      const change = { at, who: 'import', name: name as SettingName, before, after: value, digest }
      await replaceSetting(store, stored, change)
      return 'written'
    },
  }),
}

/** The settings in the item that holds all of them. */
function storedSettings(item: Item): SettingRow[][] {
  const set = settingNames.map((name) => ({ name, value: item[name] }))
  return [set.filter((row): row is SettingRow & { name: SettingName } => typeof row.value === 'string')]
}

/** The settings after the import: those of the dataset, otherwise those of the table. */
async function settingsAfterImport({ accepted, store }: ImportWorld): Promise<Settings> {
  const brought = [...accepted.settings].map(([name, { value }]) => [name, value])
  return readSettings({ ...(await findSettings(store)), ...Object.fromEntries(brought) })
}

/** Refuses the settings of the dataset that contradict each other or stored ones. */
async function refuseContradictions(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const problem = settingsContradiction(await settingsAfterImport(world))
  return problem === undefined ? new Map() : refuseSettings(world, Object.keys(PAIRED_SETTINGS), problem)
}

/** Called once the currencies are checked, which come after the settings. */
async function refuseUnknownCurrency(world: ImportWorld): Promise<ReadonlyMap<number, string>> {
  const { value } = world.accepted.settings.get('Default_Currency') ?? {}
  if (value === undefined || value === '' || value === (await storedCurrency(world))) return new Map()
  if (!(await unknownCurrencies(world, [value])).has(value)) return new Map()
  return refuseSettings(world, ['Default_Currency'], `Default_Currency: there is no currency ${value}`)
}

const storedCurrency = async ({ store }: ImportWorld): Promise<string> =>
  readSettings(await findSettings(store)).Default_Currency

function refuseSettings(
  { accepted }: ImportWorld,
  names: readonly string[],
  reason: string,
): Map<number, string> {
  const concerned = [...accepted.settings].filter(([name]) => names.includes(name))
  for (const [name] of concerned) accepted.settings.delete(name)
  return new Map(concerned.map(([, { line }]) => [line, reason]))
}

const timezoneObstacle = async (name: SettingName, value: string, stored: Settings, store: Store) =>
  name === 'Timezone' ? settingObstacle(store, name, { before: stored.Timezone, after: value }) : undefined
