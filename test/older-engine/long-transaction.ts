import type { CancellationReason } from '@aws-sdk/client-dynamodb'
import { slices } from '#lib/domain/collections.ts'
import { table } from '#lib/store/table.ts'

/** The answer of the engine to a request. */
export interface EngineAnswer {
  readonly status: number
  readonly body: string
}

/** The limit of the older engine for the items of a transaction. */
const ITEMS_OF_OLDER_ENGINE = 10

/** The parts of an action that this file looks at. */
interface Action {
  readonly TableName: string
  readonly Key?: object
  readonly Item?: Readonly<Record<string, unknown>>
  readonly UpdateExpression?: string
  readonly ConditionExpression?: string
  readonly ExpressionAttributeNames?: object
  readonly ExpressionAttributeValues?: object
}

type TransactItem = Readonly<Record<string, Action>>

/** Sends a request to the engine. */
type Send = (body: string) => Promise<EngineAnswer>

const itemsOf = (body: string): readonly TransactItem[] =>
  (JSON.parse(body) as { TransactItems?: TransactItem[] }).TransactItems ?? []

export const isLong = (body: string): boolean =>
  body.includes('"TransactItems":') && itemsOf(body).length > ITEMS_OF_OLDER_ENGINE

/** The tokens of transactions that were carried out: each is carried out once. */
const done = new Set<unknown>()

/**
 * Carries out a long transaction in parts: first all conditions, then all writes. It is all or nothing as long as no other
 * request is sent meanwhile, except that an item the engine refuses leaves the parts before it.
 */
export async function carryOut(body: string, send: Send): Promise<EngineAnswer> {
  const { ClientRequestToken: token } = JSON.parse(body) as { ClientRequestToken?: string }
  if (token !== undefined && done.has(token)) return { status: 200, body: '{}' }
  const items = itemsOf(body)
  const refusal = await check(items, send)
  if (refusal) return refusal
  for (const TransactItems of slices(items.flatMap(withoutCondition), ITEMS_OF_OLDER_ENGINE)) {
    const answer = await send(JSON.stringify({ TransactItems }))
    if (answer.status !== 200) return answer
  }
  done.add(token)
  return { status: 200, body: '{}' }
}

/** The engine's first refusal, with a reason for each item of the whole transaction; `undefined` if all conditions hold. */
async function check(items: readonly TransactItem[], send: Send): Promise<EngineAnswer | undefined> {
  const reasons: CancellationReason[] = items.map(() => ({ Code: 'None' }))
  const conditions = items.flatMap((item, place) => conditionOf(item).map((only) => ({ only, place })))
  const refusals: EngineAnswer[] = []
  for (const some of slices(conditions, ITEMS_OF_OLDER_ENGINE)) {
    const answer = await send(JSON.stringify({ TransactItems: some.map(({ only }) => only) }))
    if (answer.status !== 200) refusals.push(answer)
    const places = some.map(({ place }) => place)
    for (const [nth, reason] of reasonsIn(answer).entries()) reasons[places[nth] ?? 0] = reason
  }
  const [first] = refusals
  return (
    first && { ...first, body: JSON.stringify({ ...JSON.parse(first.body), CancellationReasons: reasons }) }
  )
}

const reasonsIn = ({ body }: EngineAnswer): readonly CancellationReason[] =>
  (JSON.parse(body) as { CancellationReasons?: CancellationReason[] }).CancellationReasons ?? []

function conditionOf(item: TransactItem): TransactItem[] {
  const [{ TableName, Key, Item = {}, ConditionExpression, ...bound } = { TableName: '' }] =
    Object.values(item)
  if (ConditionExpression === undefined) return []
  const { partition, sort } = table.key
  const key = Key ?? { [partition]: Item[partition], [sort]: Item[sort] }
  return [
    { ConditionCheck: { TableName, Key: key, ConditionExpression, ...boundIn(ConditionExpression, bound) } },
  ]
}

function withoutCondition(item: TransactItem): TransactItem[] {
  return Object.entries(item).flatMap(([kind, { ConditionExpression: _, ...action }]) => {
    if (kind === 'ConditionCheck') return []
    const { ExpressionAttributeNames, ExpressionAttributeValues, ...rest } = action
    const bound = boundIn(rest.UpdateExpression ?? '', {
      ExpressionAttributeNames,
      ExpressionAttributeValues,
    })
    return [{ [kind]: { ...rest, ...bound } }]
  })
}

type Bound = { [Name in 'ExpressionAttributeNames' | 'ExpressionAttributeValues']?: object | undefined }

/** Only what the expression uses: DynamoDB refuses a request that binds more. */
function boundIn(expression: string, bound: Bound): Record<string, object> {
  const used = new Set(expression.match(/[#:]\w+/g))
  const kept = (some: object = {}) =>
    Object.fromEntries(Object.entries(some).filter(([name]) => used.has(name)))
  const fields = [
    ['ExpressionAttributeNames', kept(bound.ExpressionAttributeNames)],
    ['ExpressionAttributeValues', kept(bound.ExpressionAttributeValues)],
  ] as const
  return Object.fromEntries(fields.filter(([, some]) => Object.keys(some).length > 0))
}
