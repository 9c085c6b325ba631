import * as v from 'valibot'
import { textOrBlank, textValue } from './shapes.ts'

const intake = v.object({
  name: textValue,
  /** The time zone of its CDRs; null for that of the installation. */
  zone: textOrBlank,
  added: textValue,
})

/** The switches that send CDRs over HTTP, by name. */
export const intakesAnswer = v.object({ intakes: v.array(intake) })

export type IntakesAnswer = v.InferOutput<typeof intakesAnswer>

/** The secret is shown this once. */
export const addedIntakeAnswer = v.object({ name: textValue, secret: textValue })

export type AddedIntakeAnswer = v.InferOutput<typeof addedIntakeAnswer>

export const revokedIntakeAnswer = v.object({ name: textValue })
