import * as v from 'valibot'
import { countValue, fileQuestion, flagValue, textValue } from './shapes.ts'

export const bankFileAnswer = v.object({
  format: textValue,
  /** As long as there are any, there are no rows. */
  questions: v.array(fileQuestion),
  /** The profile by which a CSV is read, in JSON: answers to further questions are added to it. */
  profile: textValue,
  counts: v.object({ pay: countValue, ask: countValue, booked: countValue, others: countValue }),
  /** The first rows that ask, then the first of those that would be booked. */
  rows: v.array(
    v.object({
      place: countValue,
      day: textValue,
      amount: textValue,
      currency: textValue,
      isCredit: flagValue,
      payer: textValue,
      text: textValue,
      isAsked: flagValue,
      /** What the row is, in words. */
      says: textValue,
      customers: v.array(v.object({ id: countValue, name: textValue })),
      invoices: v.array(textValue),
    }),
  ),
  /** What the parameter agreed takes to book these rows, or the rest of them. */
  agreed: textValue,
  booked: countValue,
  /** Rows that another request books. */
  left: countValue,
  refused: v.array(v.object({ place: countValue, reason: textValue })),
})

export type BankFileAnswer = v.InferOutput<typeof bankFileAnswer>
