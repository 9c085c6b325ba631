import * as v from 'valibot'
import { countValue, linkValue, textValue } from './shapes.ts'

export const searchAnswer = v.object({
  customers: v.array(v.object({ id: countValue, name: textValue, username: textValue })),
  invoices: v.array(v.object({ id: countValue, number: textValue, customer: linkValue })),
  /** `id` is that of the path of a call. */
  calls: v.array(v.object({ id: textValue, uniqueid: textValue, at: textValue, customer: linkValue })),
})

export type SearchAnswer = v.InferOutput<typeof searchAnswer>
