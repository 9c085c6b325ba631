import * as v from 'valibot'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'

/*
 * The answers of the console's API: the page's types and the schemas of docs/console-openapi.json. A blank is
 * null. Amounts are decimal text, times the installation's, as `YYYY-MM-DD HH:MM:SS`.
 */

export const blankOr = <S extends v.GenericSchema>(schema: S) => v.nullable(schema)
export const textValue = v.string()
export const countValue = v.number()
export const flagValue = v.boolean()
export const textOrBlank = blankOr(textValue)

/** The key of the next page; null after the last one. */
export const nextPageKey = blankOr(textValue)

/** A question about a file. `words` are headings or words of it that each take an answer. */
export const fileQuestion = v.object({
  about: textValue,
  asks: textValue,
  choices: v.array(textValue),
  words: v.array(textValue),
})

/** A thing with a page of its own. */
export const linkValue = v.object({ id: countValue, name: textValue })

/** The amount an account owes in each currency, with VAT: open invoices less unassigned payments. */
export const ledgerValue = v.array(
  v.object({ currency: textValue, owed: textValue, open: textValue, unassigned: textValue }),
)

export type LedgerValue = v.InferOutput<typeof ledgerValue>

export const accountType = v.picklist(ACCOUNT_TYPES)

/**
 * The answer of every refusal. `fields` names refused form values; a blank name is the whole form. `remedy`
 * is what a person can do about it, with its values; `reason` is a code more exact than `code`.
 */
export const refusalAnswer = v.object({
  error: v.object({
    code: textValue,
    reason: v.optional(textValue),
    message: textValue,
    fields: v.optional(v.array(v.object({ name: textValue, message: textValue }))),
    remedy: v.optional(v.record(textValue, textValue)),
  }),
})

/** A QR code as the path of an SVG whose unit is a module. */
export const qrCodeValue = v.object({ side: countValue, path: textValue })
