import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'

/** An item of the table as plain values. What an entity may rely on comes from reading it with its columns. */
export type Item = Readonly<Record<string, unknown>>

/** An item as it travels. */
export type Attributes = Record<string, AttributeValue>

/** Whole numbers become numbers, every other N its decimal text: money never passes through binary floating point. */
export const numberOf = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) && String(number) === text ? number : text
}

/**
 * Reads an item as the document client does, in a sixth of its time: lists come by the hundred thousand, and what their
 * items hold is nearly always text, numbers and flags. The item is made of the attributes themselves, which are gone then.
 */
export function readItem(attributes: Attributes): Item {
  const item: Record<string, unknown> = attributes
  for (const name in attributes) item[name] = readAttribute(attributes[name] as AttributeValue)
  return item
}

function readAttribute(attribute: AttributeValue): unknown {
  if (attribute.S !== undefined) return attribute.S
  if (attribute.N !== undefined) return numberOf(attribute.N)
  if (attribute.BOOL !== undefined) return attribute.BOOL
  return unmarshall({ attribute }, { wrapNumbers: numberOf })['attribute']
}
