import { randomUUID } from 'node:crypto'
import { isSettingName, maskedSetting, type SettingName, settingError } from '#lib/domain/settings.ts'
import { type Row, requiredText, text } from '#lib/store/columns.ts'
import { is } from '#lib/store/conditions.ts'
import { findSettings, settingsChange, settingsLogEntry } from '#lib/store/entities/settings.ts'
import type { DatasetFile, Entry } from './file.ts'
import { rowByRow } from './row-by-row.ts'

const columns = { name: requiredText, value: text() }

type SettingRow = Row<typeof columns>

/** Every setting is an attribute of one item; so is the digest of the row that set it. */
const digestName = (name: string): string => `digest_${name}`

export const settings: DatasetFile<SettingRow> = {
  columns,
  claims: ({ name }) => [`setting ${name}`],
  check: async (entries, { accepted }) =>
    entries.map(({ row: { name, value } }) => {
      const problem = settingProblem(name, value)
      if (problem === undefined) accepted.settings.set(name, value)
      return problem
    }),
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
