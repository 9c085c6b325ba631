import { type Act, type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { type GivenTexts, type Input, optionalInput, textInput } from '#lib/acts/inputs.ts'
import { nearestNames } from '#lib/base/nearest.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { ValueProblem } from '#lib/base/refusals/value-sentences.ts'
import { SETTINGS, type Setting } from '#lib/settings/declared-settings.ts'
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
import { settingObstacle, settingsReplaced } from './setting-change.ts'

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
  read: (given, field) => settingNamed(given, field),
}

function settingNamed(given: string, field: string): SettingName {
  if (isSettingName(given)) return given
  const nearest = nearestNames(given, settingNames)
  throw new Refusal('unknown_name', { noun: 'setting', name: given, nearest }, field)
}

/** A value is stored as it is given, and blank ones are values. */
const valueInput = (says: string) => ({ ...textInput(says), isExact: true, takesBlank: true }) as const

const inputOf = ({ title, says, masked }: Setting) => ({
  ...optionalInput(valueInput(`${title}. ${says}`)),
  ...(masked && { isSecret: masked }),
})

/** The values that were set; secret ones are masked. */
type SetValues = Readonly<Record<string, string>>

/** Sets all of them in one transaction, or none. */
export const setSettings = defineAct<Readonly<Record<string, Input<unknown>>>, SetValues>({
  summary: 'Set settings: all that are given, or none',
  permission: 'settings',
  isNamed: true,
  input: Object.fromEntries(settingNames.map((name) => [name, inputOf(SETTINGS[name])])),
  readsOthers: true,
  run: (context, given) => settingsSet(context, given as GivenTexts),
})

const single = {
  name: settingInput,
  value: { ...valueInput('the value; blank for none'), isSecret: true },
} as const

/** The same for one, as a terminal names it. */
export const setSetting: Act<typeof single, { readonly name: SettingName; readonly value: string }> = {
  ...setSettings,
  summary: 'Set a setting',
  input: single,
  run: async (context, { name, value }) => settingSet(context, name, value),
}

export async function settingSet(
  context: ActContext,
  name: SettingName,
  value: string,
  obstacleOf?: typeof settingObstacle,
) {
  const done = await settingsSet(context, { [name]: value }, obstacleOf)
  return { ...done, answer: { name, value: maskedSetting(name, value) } }
}

/** Sets those that are not set already. `obstacleOf` names what the stored data objects to. */
async function settingsSet(
  { store, actor, now }: ActContext,
  given: GivenTexts,
  obstacleOf = settingObstacle,
): Promise<Exclude<Done<SetValues>, { steps(): unknown }>> {
  const wanted = Object.entries(given).flatMap(([name, after]) => {
    if (after === undefined) return []
    const setting = settingNamed(name, 'name')
    if (!mayChangeSetting(actor, setting)) throw new Refusal('setting_of_admins', { setting }, name)
    return [[setting, after] as const]
  })
  refuseUnfit(wanted)
  const stored = await findSettings(store)
  const answer = Object.fromEntries(wanted.map(([name, after]) => [name, maskedSetting(name, after)]))
  const changed = wanted.filter(([name, after]) => stored[name] !== after)
  if (changed.length === 0) return { answer }
  const values = Object.fromEntries(changed)
  const later = readSettings({ ...stored, ...values })
  const [paired] = changed.find(([name]) => PAIRED_SETTINGS[name]) ?? []
  const contradiction = paired && settingsContradiction(later)
  if (contradiction) throw new Refusal('unfit_setting', { says: contradiction }, paired)
  for (const [name, after] of changed) {
    const obstacle = await obstacleOf(store, name, { before: settingIn(stored, name), after }, later)
    if (obstacle) throw obstacle
  }
  return {
    changes: settingsReplaced(stored, values, now),
    answer,
    remarks: changed
      .flatMap(([name, after]) => settingWarning(name, after) ?? [])
      .map((one) => `warning: ${one}`),
    log: changed.map(([name, after]) => ({
      ...{ name, before: maskedSetting(name, settingIn(stored, name)) },
      after: maskedSetting(name, after),
    })),
  }
}

function refuseUnfit(wanted: readonly (readonly [SettingName, string])[]): void {
  const problems = wanted.flatMap(([name, value]): ValueProblem[] => {
    const says = settingError(name, value)
    return says === undefined ? [] : [{ name, problem: says, value }]
  })
  const [first] = problems
  if (!first) return
  if (problems.length > 1) throw new Refusal('refused_values', { problems })
  const { name, problem, value = '' } = first
  const says = String(problem)
  const isSecret = maskedSetting(name as SettingName, value) !== value
  throw new Refusal('unfit_setting', isSecret ? { says } : { says, value }, name)
}
