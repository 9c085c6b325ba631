import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Conditions } from './conditions.ts'
import { type Assignments, conditionExpression, createBindings, updateExpression } from './expressions.ts'
import { toAttributes } from './items.ts'
import type { Key } from './keys.ts'

/** One change of a transaction. */
export type Change =
  | { readonly put: Key & Readonly<Record<string, unknown>>; readonly when?: Conditions }
  | { readonly update: Key; readonly to: Assignments; readonly when?: Conditions }
  | { readonly remove: Key; readonly when?: Conditions }
  | { readonly check: Key; readonly when: Conditions }

/** A transaction's own limit. */
export const CHANGES_IN_ONE_TRANSACTION = 100

export function toTransactItem(change: Change, TableName: string): TransactWriteItem {
  const bindings = createBindings()
  const ConditionExpression = conditionExpression(change.when ?? {}, bindings) || undefined
  if ('put' in change) {
    return {
      Put: { TableName, Item: toAttributes(change.put), ConditionExpression, ...bindings.toRequest() },
    }
  }
  if ('update' in change) {
    const Key = toAttributes(change.update)
    const UpdateExpression = updateExpression(change.to, bindings)
    return { Update: { TableName, Key, UpdateExpression, ConditionExpression, ...bindings.toRequest() } }
  }
  if ('remove' in change) {
    const Key = toAttributes(change.remove)
    return { Delete: { TableName, Key, ConditionExpression, ...bindings.toRequest() } }
  }
  const Key = toAttributes(change.check)
  return { ConditionCheck: { TableName, Key, ConditionExpression, ...bindings.toRequest() } }
}
