import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Conditions } from '#lib/store/conditions.ts'
import type { Key } from '#lib/store/keys.ts'
import { type Assignments, conditionExpression, createBindings, updateExpression } from './expressions.ts'

/** One change of a transaction. */
export type Change =
  | { readonly put: Key & Readonly<Record<string, unknown>>; readonly when?: Conditions }
  | { readonly update: Key; readonly to: Assignments; readonly when?: Conditions }
  | { readonly remove: Key; readonly when?: Conditions }
  | { readonly check: Key; readonly when: Conditions }

/** A transaction's own limit. */
export const CHANGES_IN_ONE_TRANSACTION = 100

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

export function toTransactItem(change: Change, TableName: string): TransactItem {
  const bindings = createBindings()
  const ConditionExpression = conditionExpression(change.when ?? {}, bindings) || undefined
  if ('put' in change) {
    return { Put: { TableName, Item: change.put, ConditionExpression, ...bindings.toRequest() } }
  }
  if ('update' in change) {
    const UpdateExpression = updateExpression(change.to, bindings)
    return {
      Update: {
        TableName,
        Key: change.update,
        UpdateExpression,
        ConditionExpression,
        ...bindings.toRequest(),
      },
    }
  }
  if ('remove' in change) {
    return { Delete: { TableName, Key: change.remove, ConditionExpression, ...bindings.toRequest() } }
  }
  return { ConditionCheck: { TableName, Key: change.check, ConditionExpression, ...bindings.toRequest() } }
}
