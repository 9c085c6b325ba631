import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'

export type Attributes = Record<string, AttributeValue>

/** An item of the table as plain values. What an entity may rely on comes from reading it with its columns. */
export type Item = Readonly<Record<string, unknown>>

/** `undefined` is not stored. */
export const toAttributes = (values: object): Attributes =>
  mapBinary(marshall(values as Record<string, unknown>, { removeUndefinedValues: true }), toBase64)

/** Whole numbers become numbers, every other N its decimal text: money never passes through binary floating point. */
export const fromAttributes = (attributes: Attributes): Item =>
  unmarshall(mapBinary(attributes, fromBase64), { wrapNumbers: numberOf })

const numberOf = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}

/** JSON has no bytes. Only an item itself holds any, never a list or a map in it. */
function mapBinary(attributes: Attributes, map: (bytes: Uint8Array) => Uint8Array): Attributes {
  for (const [name, { B }] of Object.entries(attributes))
    if (B !== undefined) attributes[name] = { B: map(B) }
  return attributes
}

/** The SDK's types, which these are, know bytes only. */
const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64') as unknown as Uint8Array
const fromBase64 = (text: Uint8Array) => Buffer.from(text as unknown as string, 'base64')
