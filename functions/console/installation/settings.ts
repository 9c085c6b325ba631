import { actOperation } from '#lib/api/console/act-operation.ts'
import { settingAnswer, settingsAnswer } from '#lib/api/console/answers/settings.ts'
import { defineResource, EVERY_ACCOUNT, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { setSetting } from '#lib/calls/set-setting.ts'
import { type LogEntry, listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { maskedSetting, mayChangeSetting, SETTINGS, settingNames } from '#lib/settings/settings.ts'
import { findSettings, settingIn } from '#lib/settings/stored-settings.ts'

const MOST_LOGGED = 100

export const resource = defineResource({
  name: 'settings',
  access: 'write',
  operations: [
    operation('GET', '/settings', {
      summary: 'The settings, secrets masked, and the last 100 entries of the log.',
      callers: EVERY_ACCOUNT,
      permission: 'settings',
      answer: settingsAnswer,
      run: async ({ store, caller, settings: { Timezone } }) => {
        const [stored, log] = await Promise.all([
          findSettings(store),
          listNewestLogEntries(store, MOST_LOGGED),
        ])
        return {
          settings: settingNames.map((name) => ({
            name,
            value: maskedSetting(name, settingIn(stored, name)),
            kind: SETTINGS[name].kind,
            default: SETTINGS[name].default,
            isSecret: 'masked' in SETTINGS[name],
            mayChange: mayChangeSetting(caller, name),
          })),
          log: log.map((entry) => ({ ...logRow(entry), at: formatIso(entry.at, Timezone) })),
        }
      },
    }),
    actOperation('PUT', '/settings/{name}', setSetting, {
      answer: settingAnswer,
      show: (_request, answer, { remarks = [] }) => ({
        ...answer,
        warning: remarks.length > 0 ? remarks.join('; ') : null,
      }),
    }),
  ],
})

export const handler = consoleLambda(resource)

function logRow(entry: LogEntry) {
  const { at, who } = entry
  if ('action' in entry) return { at, who, change: entry.action, before: null, after: null }
  if ('file' in entry)
    return { at, who, change: `imported ${entry.file}`, before: null, after: entry.counts ?? null }
  if ('did' in entry) return { at, who, change: `${entry.account}: ${entry.did}`, before: null, after: null }
  return { at, who, change: entry.name, before: entry.before, after: entry.after }
}
