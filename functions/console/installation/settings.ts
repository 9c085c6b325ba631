import { settingAnswer, settingsAnswer } from '#lib/api/console/answers/settings.ts'
import { ConsoleRefusal, forbidden, invalidValue, unknownThing } from '#lib/api/console/refusals.ts'
import { type ConsoleRequest, defineResource, EVERY_ACCOUNT, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { anyText, sentText } from '#lib/api/console/values.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { changeSetting } from '#lib/calls/setting-change.ts'
import { type LogEntry, listNewestLogEntries } from '#lib/settings/audit-log.ts'
import {
  isSettingName,
  maskedSetting,
  mayChangeSetting,
  SETTINGS,
  type SettingName,
  settingNames,
  settingWarning,
} from '#lib/settings/settings.ts'
import { findSettings, settingIn } from '#lib/settings/stored-settings.ts'

const MOST_LOGGED = 100

const change = { name: sentText, value: anyText }

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
    operation('PUT', '/settings/{name}', {
      summary: 'Sets a setting, and logs the change.',
      callers: EVERY_ACCOUNT,
      permission: 'settings',
      params: change,
      answer: settingAnswer,
      run: async (request) => {
        const { name, value } = request.params
        if (!isSettingName(name)) throw unknownThing('setting', name)
        await setTo(request, name, value)
        return { name, value: maskedSetting(name, value), warning: settingWarning(name, value) ?? null }
      },
    }),
  ],
})

export const handler = consoleLambda(resource)

async function setTo(
  { store, caller, clock }: ConsoleRequest<typeof change>,
  name: SettingName,
  after: string,
): Promise<void> {
  const wanted = { at: clock().toISOString(), by: caller, name, after }
  const { forbidden: denied, invalid, obstacle } = await changeSetting(store, wanted)
  if (denied !== undefined) throw forbidden(`${denied}.`)
  if (invalid !== undefined) throw invalidValue(invalid)
  if (obstacle !== undefined) throw new ConsoleRefusal('conflict', obstacle)
}

function logRow(entry: LogEntry) {
  const { at, who } = entry
  if ('action' in entry) return { at, who, change: entry.action, before: null, after: null }
  if ('file' in entry)
    return { at, who, change: `imported ${entry.file}`, before: null, after: entry.counts ?? null }
  if ('did' in entry) return { at, who, change: `${entry.account}: ${entry.did}`, before: null, after: null }
  return { at, who, change: entry.name, before: entry.before, after: entry.after }
}
