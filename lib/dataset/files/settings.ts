import pMap from 'p-map'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import {
  isSettingName,
  readSettings,
  type SettingName,
  type Settings,
  settingError,
} from '#lib/domain/settings.ts'
import { type Row, requiredText, text } from '#lib/store/columns.ts'
import {
  digestOfSetting,
  findSettings,
  replaceSetting,
  settingObstacle,
} from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import type { Store } from '#lib/store/store.ts'

const columns = { name: requiredText, value: text() }

type SettingRow = Row<typeof columns>

export const settings: RowFormat<SettingRow> = {
  columns,
  // A misspelled name does not make its value any less secret.
  secrets: ['value'],
  keyColumns: ['name', 'value'],
  claims: ({ name }) => [`setting ${name}`],
  check: async (entries, { accepted, store }) => {
    const stored = readSettings(await findSettings(store))
    return pMap(entries, async ({ row: { name, value } }) => {
      const problem = settingProblem(name, value) ?? (await obstacleTo(name, value, { stored, store }))
      if (problem === undefined) accepted.settings.set(name, value)
      return problem
    })
  },
  ...rowByRow<SettingRow, Item>({
    lane: () => 0,
    find: async (rows, { store }) => {
      const stored = await findSettings(store)
      return rows.map(() => stored)
    },
    columnsIn: () => undefined,
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

const settingProblem = (name: string, value: string): string | undefined =>
  isSettingName(name) ? settingError(name, value) : `name: there is no setting ${JSON.stringify(name)}`

const obstacleTo = async (
  name: string,
  value: string,
  { stored, store }: { stored: Settings; store: Store },
) =>
  name === 'Timezone' ? settingObstacle(store, name, { before: stored.Timezone, after: value }) : undefined
