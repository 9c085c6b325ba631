import type { Mishap, TableRequest } from './faulty-endpoint.ts'

/** Every kind of mishap, each as it happens to a request; `undefined` where it cannot happen to such a one. */
export const mishaps = {
  throttled: () => ({ refusal: 'ProvisionedThroughputExceededException' }),
  'internal error': () => ({ refusal: 'InternalServerError', status: 500 }),
  'unavailable, in HTML': () => 'HTML',
  'access denied': () => ({ refusal: 'AccessDeniedException' }),
  'dropped before it arrived': () => 'broken off',
  'answer lost': () => 'answer lost',
  'answer cut short': () => 'answer cut short',
  'left undone': ({ operation, input }) =>
    operation === 'BatchGetItem'
      ? { answer: { Responses: {}, UnprocessedKeys: JSON.parse(input).RequestItems } }
      : undefined,
  conflict: (request) => refusedWrite(request, 'TransactionConflict'),
  'in progress': ({ operation }) =>
    operation === 'TransactWriteItems' ? { refusal: 'TransactionInProgressException' } : undefined,
  'condition failed': (request) => refusedWrite(request, 'ConditionalCheckFailed'),
} as const satisfies Record<string, (request: TableRequest) => Mishap | undefined>

export type MishapName = keyof typeof mishaps

export const MISHAPS = Object.keys(mishaps) as MishapName[]

/** Those that are about one request, and not about the table or the way to it. */
export const OF_ONE_REQUEST: readonly MishapName[] = [
  'left undone',
  'conflict',
  'in progress',
  'condition failed',
]

type Reason = 'TransactionConflict' | 'ConditionalCheckFailed'

/** A write is refused under the reason's own name, a transaction as cancelled with reasons for each of its items. */
function refusedWrite({ operation, input }: TableRequest, reason: Reason): Mishap | undefined {
  const { TransactItems = [], ConditionExpression } = JSON.parse(input)
  if (operation === 'TransactWriteItems') return cancelled(TransactItems, reason)
  const isPossible = operation === 'UpdateItem' && (reason === 'TransactionConflict' || ConditionExpression)
  return isPossible ? { refusal: `${reason}Exception` } : undefined
}

type TransactItems = Readonly<Record<string, { readonly ConditionExpression?: string }>>[]

/** Because of the first of its items that this can be the fault of. */
function cancelled(items: TransactItems, reason: Reason): Mishap {
  const mayBeCause = (item: TransactItems[number]) =>
    reason === 'TransactionConflict' ||
    Object.values(item).some(({ ConditionExpression }) => ConditionExpression)
  const cause = items.findIndex(mayBeCause)
  const reasons = items.map((_, at) => ({ Code: at === cause ? reason : 'None' }))
  return { refusal: 'TransactionCanceledException', rest: { CancellationReasons: reasons } }
}
