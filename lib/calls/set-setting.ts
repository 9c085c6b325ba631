import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type Input, textInput } from '#lib/acts/inputs.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import {
  isSettingName,
  maskedSetting,
  mayChangeSetting,
  PAIRED_SETTINGS,
  readSettings,
  type SettingName,
  settingError,
  settingNames,
  settingsContradiction,
  settingWarning,
} from '#lib/settings/settings.ts'
import { findSettings, settingIn } from '#lib/settings/stored-settings.ts'
import { settingObstacle, settingReplaced } from './setting-change.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly setting_of_admins: { readonly setting: string }
    /** `says` begins with the name of the setting. A secret value is not repeated. */
    readonly unfit_setting: { readonly says: string; readonly value?: string }
  }
}

const settingInput: Input<SettingName> = {
  takes: 'name of a setting',
  placeholder: 'NAME',
  says: 'the name of the setting',
  isOptional: false,
  read: (given, field) => {
    if (isSettingName(given)) return given
    const nearest = nearestNames(given, settingNames)
    throw new Refusal('unknown_name', { noun: 'setting', name: given, nearest }, field)
  },
}

/** A setting and its value; a secret one is masked. */
interface SetSetting {
  readonly name: SettingName
  readonly value: string
}

export const setSetting = defineAct({
  summary: 'Set a setting',
  callers: ACCOUNT_TYPES,
  permission: 'settings',
  input: {
    name: settingInput,
    value: {
      ...textInput('the value; blank for none'),
      isExact: true,
      takesBlank: true,
      isSecret: true,
    },
  },
  run: (context, { name, value }) => settingSet(context, name, value),
})

/** Sets a setting, unless it is set already. `obstacleOf` names what the stored data objects to. */
export async function settingSet(
  { store, actor, now }: ActContext,
  name: SettingName,
  after: string,
  obstacleOf = settingObstacle,
): Promise<Done<SetSetting>> {
  if (!mayChangeSetting(actor, name)) throw new Refusal('setting_of_admins', { setting: name })
  refuseUnfit(name, after)
  const stored = await findSettings(store)
  const answer = { name, value: maskedSetting(name, after) }
  if (stored[name] === after) return { answer }
  const contradiction =
    PAIRED_SETTINGS[name] && settingsContradiction(readSettings({ ...stored, [name]: after }))
  if (contradiction !== undefined) throw new Refusal('unfit_setting', { says: contradiction }, 'value')
  const before = settingIn(stored, name)
  const obstacle = await obstacleOf(store, name, { before, after })
  if (obstacle) throw obstacle
  const warning = settingWarning(name, after)
  return {
    changes: settingReplaced(stored, { name, after, at: now }),
    answer,
    remarks: warning === undefined ? [] : [`warning: ${warning}`],
    log: { name, before: maskedSetting(name, before), after: answer.value },
  }
}

function refuseUnfit(name: SettingName, value: string): void {
  const says = settingError(name, value)
  if (says === undefined) return
  const isSecret = maskedSetting(name, value) !== value
  throw new Refusal('unfit_setting', isSecret ? { says } : { says, value }, 'value')
}
