import * as v from 'valibot'
import { declaredField } from './records.ts'
import { flagValue, textOrBlank, textValue } from './shapes.ts'

/** A field of a form, with its group and its value; a secret one is masked. */
const setting = v.object({
  ...declaredField.entries,
  group: textValue,
  value: textValue,
  /** False for what only an admin sets. */
  mayChange: flagValue,
})

export type SettingRow = v.InferOutput<typeof setting>

export const settingsAnswer = v.object({
  settings: v.array(setting),
  /** The newest first. */
  log: v.array(
    v.object({ at: textValue, who: textValue, change: textValue, before: textOrBlank, after: textOrBlank }),
  ),
})

export type SettingsAnswer = v.InferOutput<typeof settingsAnswer>

/** The look of an account's own documents. */
export const ownBrandAnswer = v.object({ logo: textValue, colour: textValue, footer: textValue })

export type OwnBrandAnswer = v.InferOutput<typeof ownBrandAnswer>

/** The values that were set, secrets masked. */
export const setSettingsAnswer = v.object({
  values: v.record(textValue, textValue),
  warning: textOrBlank,
})

export type SetSettingsAnswer = v.InferOutput<typeof setSettingsAnswer>
