import * as v from 'valibot'
import { flagValue, linkValue, textOrBlank, textValue } from './shapes.ts'

const integrationKey = v.object({
  name: textValue,
  account: linkValue,
  /** By their own names, or `all` alone. */
  methods: v.array(textValue),
  /** IP addresses and ranges, with commas between them; null for any address. */
  from: textOrBlank,
  isV2Only: flagValue,
  added: textValue,
  /** The last rotation; null if there was none. */
  rotated: textOrBlank,
  /** The end of the overlap in which the secret before the last rotation signs, too; null outside it. */
  previousUntil: textOrBlank,
})

export const keysAnswer = v.object({ keys: v.array(integrationKey) })

export type KeysAnswer = v.InferOutput<typeof keysAnswer>

/** The secret is shown this once. */
export const newKeyAnswer = v.object({ name: textValue, secret: textOrBlank, remarks: v.array(textValue) })

export const revokedAnswer = v.object({ name: textValue })
