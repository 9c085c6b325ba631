import { randomUUID } from 'node:crypto'
import pMap from 'p-map'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { Entry, RowFormat } from '#lib/dataset/format/row-format.ts'
import {
  isSettingName,
  maskedSetting,
  readSettings,
  type SettingName,
  type Settings,
  settingError,
} from '#lib/domain/settings.ts'
import { type Row, requiredText, text } from '#lib/store/columns.ts'
import { is } from '#lib/store/conditions.ts'
import {
  findSettings,
  settingObstacle,
  settingsChange,
  settingsLogEntry,
} from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

const columns = { name: requiredText, value: text() }

type SettingRow = Row<typeof columns>

/** Every setting is an attribute of one item; so is the digest of the row that set it. */
const digestName = (name: string): string => `digest_${name}`

export const settings: RowFormat<SettingRow> = {
  columns,
  claims: ({ name }) => [`setting ${name}`],
  check: async (entries, { accepted, store }) => {
    const stored = readSettings(await findSettings(store))
    return pMap(entries, async ({ row: { name, value } }) => {
      const problem = settingProblem(name, value) ?? (await obstacleTo(name, value, { stored, store }))
      if (problem === undefined) accepted.settings.set(name, value)
      return problem
    })
  },
  write: rowByRow<SettingRow, Readonly<Record<string, unknown>>>({
    lane: () => 0,
    find: async (rows, { store }) => {
      const stored = await findSettings(store)
      return rows.map(() => stored)
    },
    write: async ({ row, digest }, stored, { store, clock }) => {
      if (stored[digestName(row.name)] === digest) return 'unchanged'
      await store.transact(changesFor({ row, digest }, stored, clock()))
      return 'written'
    },
    obstacle: async () => undefined,
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

function changesFor(
  { row, digest }: Pick<Entry<SettingRow>, 'row' | 'digest'>,
  stored: Readonly<Record<string, unknown>>,
  now: Date,
) {
  const name = row.name as SettingName
  const before = stored[name] === undefined ? '' : String(stored[name])
  const values = { [name]: row.value, [digestName(name)]: digest }
  const change = {
    at: now.toISOString(),
    who: 'import',
    name,
    before: maskedSetting(name, before),
    after: maskedSetting(name, row.value),
  }
  const unchanged = stored[name] === undefined ? {} : { [name]: is(before) }
  return [settingsChange(values, unchanged), settingsLogEntry(change, randomUUID())]
}
