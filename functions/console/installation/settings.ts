import { actOperation } from '#lib/api/console/act-operation.ts'
import type { SettingRow } from '#lib/api/console/answers/installation.ts'
import { defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { ACCOUNT_TYPES, OWNERS } from '#lib/base/account-types.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { namesIn } from '#lib/base/collections.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { switchOf } from '#lib/base/text.ts'
import { setSettings } from '#lib/calls/set-settings.ts'
import { findBrand } from '#lib/invoicing/documents/brand.ts'
import { setBrand } from '#lib/invoicing/documents/set-brand.ts'
import { type LogEntry, listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { SETTING_GROUPS, SETTINGS, type Setting } from '#lib/settings/declared-settings.ts'
import { maskedSetting, mayChangeSetting, type SettingName } from '#lib/settings/settings.ts'
import { findSettings, settingIn } from '#lib/settings/stored-settings.ts'

const MOST_LOGGED = 100

export const resource = defineResource({
  name: 'settings',
  access: 'write',
  operations: [
    operation('GET', '/settings', {
      summary: 'The settings by group, secrets masked, and the last 100 entries of the log.',
      callers: ACCOUNT_TYPES,
      permission: 'settings',
      run: async ({ store, caller, settings: { Timezone } }) => {
        const [stored, log] = await Promise.all([
          findSettings(store),
          listNewestLogEntries(store, MOST_LOGGED),
        ])
        return {
          settings: namesIn(SETTING_GROUPS).flatMap((group) =>
            (namesIn(SETTING_GROUPS[group]) as SettingName[]).map((name) => ({
              ...fieldOf(name, SETTINGS[name], settingIn(stored, name)),
              group,
              mayChange: mayChangeSetting(caller, name),
            })),
          ),
          log: log.map((entry) => ({ ...logRow(entry), at: formatIso(entry.at, Timezone) })),
        }
      },
    }),
    actOperation('PUT', '/brand', setBrand),
    operation('GET', '/own/brand', {
      summary: 'The logo, the colour and the footer of the own documents.',
      callers: OWNERS,
      run: ({ store, caller }) => findBrand(store, caller.usertype === 'admin' ? ADMIN_ACCOUNT : caller.id),
    }),
    actOperation('PUT', '/settings', setSettings, {
      show: (_request, values, { remarks = [] }) => ({ values, warning: remarks.join('; ') || null }),
    }),
  ],
})

export const handler = consoleLambda(resource)

const CONTROLS: Readonly<Partial<Record<Setting['kind'], SettingRow['control']>>> = {
  ...{ switch: 'switch', choice: 'choice', 'whole number': 'number', digits: 'number', amount: 'money' },
  ...{ day: 'date', days: 'list', addresses: 'list', 'order of hints': 'list' },
}

/** What the entries of a list are: those of an order are not ticked. */
const OF_KINDS: Readonly<Partial<Record<Setting['kind'], string>>> = {
  days: 'days',
  'order of hints': 'order',
}

function controlOf({ kind, of, isList }: Setting): SettingRow['control'] {
  if (isList) return 'list'
  return of ? 'reference' : (CONTROLS[kind] ?? 'text')
}

function fieldOf(
  name: SettingName,
  setting: Setting,
  value: string,
): Omit<SettingRow, 'group' | 'mayChange'> {
  const { kind, title, says, default: byDefault, choices = [], of, masked } = setting
  const isSwitch = kind === 'switch'
  const isOn = switchOf(value) ?? switchOf(byDefault)
  const word = isOn ? 'on' : 'off'
  return {
    ...{ name, label: title, says, blank: null, default: byDefault },
    value: maskedSetting(name, isSwitch ? word : value),
    control: controlOf(setting),
    choices: isSwitch ? ['off', 'on'] : [...choices],
    of: of ?? OF_KINDS[kind] ?? null,
    ...{ isRequired: false, isSecret: masked === true, isOfChange: false },
  }
}

function logRow(entry: LogEntry) {
  const { at, who } = entry
  if ('action' in entry) return { at, who, change: entry.action, before: null, after: null }
  if ('file' in entry)
    return { at, who, change: `imported ${entry.file}`, before: null, after: entry.counts ?? null }
  if ('did' in entry) return { at, who, change: `${entry.account}: ${entry.did}`, before: null, after: null }
  return { at, who, change: entry.name, before: entry.before, after: entry.after }
}
