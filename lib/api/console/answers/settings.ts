import * as v from 'valibot'
import { flagValue, textOrBlank, textValue } from './shapes.ts'

const setting = v.object({
  name: textValue,
  value: textValue,
  kind: textValue,
  /** The value before it was ever set. */
  default: textValue,
  isSecret: flagValue,
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

export const settingAnswer = v.object({ name: textValue, value: textValue, warning: textOrBlank })
