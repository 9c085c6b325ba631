import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'

export type Attributes = Record<string, AttributeValue>

/** An item of the table as plain values. What an entity may rely on comes from reading it with its columns. */
export type Item = Readonly<Record<string, unknown>>

/** `undefined` is not stored. */
export const toAttributes = (values: object): Attributes =>
  marshall(values as Record<string, unknown>, { removeUndefinedValues: true })

/** Whole numbers become numbers, every other N its decimal text: money never passes through binary floating point. */
export const fromAttributes = (attributes: Attributes): Item =>
  unmarshall(attributes, { wrapNumbers: numberOf })

const numberOf = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}
