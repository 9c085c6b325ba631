import * as v from 'valibot'
import { CONTROLS } from '#lib/base/refusals/value-sentences.ts'
import { flagValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

/** The texts of columns, as a form sends them. */
const values = v.record(textValue, textValue)

export const declaredField = v.object({
  name: textValue,
  label: textValue,
  says: textOrBlank,
  /** The meaning of a blank value, where it is not none. */
  blank: textOrBlank,
  control: v.picklist(CONTROLS),
  choices: v.array(textValue),
  /** The kind of the records that it names. */
  of: textOrBlank,
  isRequired: flagValue,
  isSecret: flagValue,
  /** It dates a change: a new record does not have it. */
  isOfChange: flagValue,
  /** The defaults of a new record. */
  default: textValue,
})

const record = v.object({ id: textValue, name: textValue, values })

/** The rights of the account on this kind. */
const may = v.array(v.picklist(['add', 'change', 'remove']))

/** A page of the records of a kind, and the fields of its form. Secrets are masked. */
export const recordsAnswer = v.object({
  kind: textValue,
  fields: v.array(declaredField),
  /** Each with the names of the records that it names, by column. */
  records: v.array(v.object({ ...record.entries, names: values })),
  next: nextPageKey,
  may,
})

export type RecordsAnswer = v.InferOutput<typeof recordsAnswer>

/** `names` are those of the records that it names, by column. */
export const recordAnswer = v.object({
  kind: textValue,
  fields: v.array(declaredField),
  record,
  names: values,
  may,
})

export type RecordAnswer = v.InferOutput<typeof recordAnswer>

/** `drawn` are values that were made up, such as the secret of a device: they are shown this once. */
export const writtenRecordAnswer = v.object({ id: textValue, drawn: values })

export type WrittenRecordAnswer = v.InferOutput<typeof writtenRecordAnswer>

/** A price that was set. `remarks` name, for example, prefixes that are now sold below cost. */
export const rateSetAnswer = v.object({
  id: textValue,
  from: textValue,
  isChanged: flagValue,
  remarks: v.array(textValue),
})

export type RateSetAnswer = v.InferOutput<typeof rateSetAnswer>
