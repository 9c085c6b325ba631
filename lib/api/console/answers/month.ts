import * as v from 'valibot'
import { countValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

const customerMonth = v.object({
  customer: linkValue,
  /** `open`: it can be issued. `done`: it was issued before. */
  outcome: v.picklist(['open', 'issued', 'done', 'empty', 'refused']),
  number: textOrBlank,
  currency: textValue,
  /** Negative amounts are those of a credit note. */
  net: textValue,
  vat: textValue,
  gross: textValue,
  rows: countValue,
  suspended: countValue,
  reason: textOrBlank,
})

/** A page of customers, in the order of their ids. */
export const monthAnswer = v.object({ customers: v.array(customerMonth), next: nextPageKey })
