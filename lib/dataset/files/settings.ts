import pMap from 'p-map'
import { paired } from '#lib/base/collections.ts'
import { refusalSaidIn } from '#lib/base/refusals/refusal-text.ts'
import { SETTING_SENTENCES } from '#lib/base/refusals/setting-sentences.ts'
import { settingObstacle, settingsReplaced } from '#lib/calls/setting-change.ts'
import type { CheckedFile, FileJob } from '#lib/dataset/format/dataset-file.ts'
import type { ImportContext } from '#lib/dataset/format/import-context.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import { openRows } from '#lib/dataset/format/row-file.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import { SETTINGS } from '#lib/settings/declared-settings.ts'
import {
  isSettingName,
  maskedSetting,
  PAIRED_SETTINGS,
  readSettings,
  type SettingName,
  type Settings,
  settingError,
  settingsContradiction,
  settingWarning,
} from '#lib/settings/settings.ts'
import { digestOfSetting, findSettings, settingsOf } from '#lib/settings/stored-settings.ts'
import { relativeDay } from '#lib/table/cells/moments.ts'
import { type Row, requiredText, secret, text } from '#lib/table/columns.ts'
import type { Item } from '#lib/table/items.ts'
import type { Store } from '#lib/table/store.ts'
import { unknownCurrencies } from './currency-problems.ts'

/** A value under a misspelled name may be a secret, so every value is treated as one. */
const columns = { name: requiredText, value: secret(text()) }

type SettingRow = Row<typeof columns>

export const settingsFile: RowFormat<SettingRow> = {
  columns,
  keyColumns: ['name', 'value'],
  claims: ({ name }) => [`setting ${name}`],
  check: async (entries, { store }) => {
    const stored = await settingsOf(store)
    const problems = await pMap(entries, async ({ row: { name, value } }) => {
      if (!isSettingName(name)) return `name: there is no setting ${JSON.stringify(name)}`
      return settingError(name, value) ?? (await placeObstacle(name, value, stored, store))
    })
    const found = paired(entries, problems)
    return (entry) => found.get(entry)
  },
  ...rowByRow<SettingRow, Item>({
    lane: () => 0,
    find: async (_, { store }) => {
      const stored = await findSettings(store)
      return () => stored
    },
    columnsIn: (stored, { name }) => {
      const value = stored[name]
      return value === undefined
        ? undefined
        : { name, value: String(value), digest: digestOfSetting(stored, name) }
    },
    changes: async ({ row: { name, value }, digest }, stored, { clock }) => {
      if (digestOfSetting(stored, name) === digest) return undefined
      const at = clock().toISOString()
      const before = String(stored[name] ?? '')
      const masked = (text: string) => maskedSetting(name as SettingName, text)
      const entry = inAuditLog({ at, who: 'import', name, before: masked(before), after: masked(value) })
      return {
        changes: [...settingsReplaced(stored, { [name]: value }, clock(), digest), entry],
      }
    },
  }),
}

/** Settings may contradict each other or stored ones. The currency may follow in a later file. */
export async function checkSettings(job: FileJob): Promise<CheckedFile> {
  const rows = openRows(settingsFile, { ...job, source: withDays(job) })
  const settings = new Map<SettingName, string>()
  const lines = new Map<SettingName, number>()
  for await (const { accepted } of rows.batches()) {
    for (const { line, row } of accepted) {
      if (!isSettingName(row.name)) continue
      settings.set(row.name, row.value)
      lines.set(row.name, line)
    }
  }
  const refuse = (names: readonly string[], problem: string | undefined) => {
    if (problem === undefined) return
    for (const name of [...settings.keys()].filter((one) => names.includes(one))) {
      rows.refuse(lines.get(name) ?? 0, problem)
      settings.delete(name)
    }
  }
  const stored = await findSettings(job.context.store)
  const after = readSettings({ ...stored, ...Object.fromEntries(settings) })
  refuse(Object.keys(PAIRED_SETTINGS), settingsContradiction(after))
  return {
    ...rows.checked(),
    brings: { settings },
    checkLast: async (context) =>
      refuse(['Default_Currency'], await currencyProblem(settings.get('Default_Currency'), context)),
    remarks: async () => [...settings].flatMap(([name, value]) => settingWarning(name, value) ?? []),
  }
}

/** Days may count from the first import, as in other files. */
const withDays = ({ source, context }: FileJob): FileJob['source'] => ({
  ...source,
  rows: async function* () {
    for await (const { cells, ...row } of source.rows()) {
      const { name = '', value = '' } = cells
      const isRelative = value.startsWith('@') && isSettingName(name) && SETTINGS[name].kind === 'day'
      const day = isRelative && relativeDay(value, context.calendar)
      yield { ...row, cells: day ? { ...cells, value: day } : cells }
    }
  },
})

async function currencyProblem(
  value: string | undefined,
  context: ImportContext,
): Promise<string | undefined> {
  const { Default_Currency: stored } = await settingsOf(context.store)
  if (value === undefined || value === '' || value === stored) return undefined
  const unknown = await unknownCurrencies(context, [value])
  return unknown.has(value) ? `Default_Currency: there is no currency ${value}` : undefined
}

/** Where calls are stored follows from these settings. */
async function placeObstacle(name: SettingName, value: string, stored: Settings, store: Store) {
  if (name !== 'Timezone' && name !== 'Wholesale_Customers') return undefined
  const obstacle = await settingObstacle(store, name, { before: stored[name], after: value }, stored)
  return obstacle && refusalSaidIn(SETTING_SENTENCES, obstacle).message
}
