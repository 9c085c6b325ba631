import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { inject } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { accessKeyIn, withoutKey } from '#lib/table/table.ts'
import { type Arrived, aServer, type TestServer } from '#test/server.ts'

/** A request as it arrives. */
export interface TableRequest {
  /** Such as `UpdateItem`. */
  readonly operation: string
  /** In JSON. */
  readonly input: string
  readonly headers: IncomingHttpHeaders
}

/** A fault of a request on its way to DynamoDB, or of the answer on its way back. */
export type Mishap =
  /** The connection breaks before DynamoDB gets the request. */
  | 'broken off'
  /** DynamoDB carries the request out, and the connection breaks. */
  | 'answer lost'
  | Refusal
  | Answer

/** DynamoDB refuses the request under this name. */
interface Refusal {
  readonly refusal: string
  /** Further members of the refusal. */
  readonly rest?: object
}

/** DynamoDB answers this, and carries nothing out. */
interface Answer {
  readonly answer: object
}

/** Tells the mishap of each request as it arrives; `undefined` lets it pass. */
export type MishapOf = (request: TableRequest) => Mishap | undefined

export const isDoneDespite = (mishap: Mishap | undefined): boolean =>
  mishap === undefined || mishap === 'answer lost'

/** A DynamoDB in front of the engine of the tests. Its clock is `ahead` by a number of milliseconds. */
export function faultyEndpoint(mishapOf: MishapOf, ahead = 0): Promise<TestServer> {
  const engine = inject('endpoint')
  return aServer(async (arrived, response) => {
    response.setHeader('Date', new Date(Date.now() + ahead).toUTCString())
    const { headers, body: input } = arrived
    const mishap = mishapOf({
      operation: String(headers['x-amz-target']).replace(/.*\./, ''),
      input,
      headers,
    })
    if (mishap === 'broken off') return void response.socket?.destroy()
    if (typeof mishap === 'object') return answerItself(response, mishap)
    const { status, body } = await passOn(engine, arrived)
    if (mishap === 'answer lost') return void response.socket?.destroy()
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body)
  })
}

function answerItself(response: ServerResponse, mishap: Refusal | Answer) {
  if ('answer' in mishap) return void response.end(JSON.stringify(mishap.answer))
  const { refusal, rest } = mishap
  response.statusCode = 400
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${refusal}`, message: 'No', ...rest }
  response.end(JSON.stringify(body))
}

interface EngineAnswer {
  readonly status: number
  readonly body: string
}

const PASSED_ON = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target']

async function passOn(engine: string, { body, headers }: Arrived): Promise<EngineAnswer> {
  const passedOn = Object.fromEntries(PASSED_ON.map((name) => [name, String(headers[name])]))
  const authorization = String(headers['authorization']).replace('=local/', `=${accessKeyIn(engine)}/`)
  const answer = await fetch(withoutKey(engine), {
    method: 'POST',
    headers: { ...passedOn, authorization },
    body,
  })
  return { status: answer.status, body: await answer.text() }
}

/** Kinds of mishaps, by name. A mishap is `undefined` for a request that it cannot happen to. */
export const mishaps = {
  throttled: () => ({ refusal: 'ProvisionedThroughputExceededException' }),
  'access denied': () => ({ refusal: 'AccessDeniedException' }),
  'dropped before it arrived': () => 'broken off',
  'answer lost': () => 'answer lost',
  conflict: (request) => refusedWrite(request, 'TransactionConflict'),
  'in progress': ({ operation }) =>
    operation === 'TransactWriteItems' ? { refusal: 'TransactionInProgressException' } : undefined,
  'condition failed': (request) => refusedWrite(request, 'ConditionalCheckFailed'),
} as const satisfies Record<string, MishapOf>

export type MishapName = keyof typeof mishaps

/** A client without repeats. Its requests meet the planned mishaps in order; later ones pass. */
export async function aFailingClient(
  plan: Iterable<MishapName | undefined>,
): Promise<DynamoDBDocumentClient> {
  const planned = plan[Symbol.iterator]()
  const { origin } = await faultyEndpoint((request) => {
    const { value: name } = planned.next()
    return name && mishaps[name as MishapName](request)
  })
  return createClient({ tableName: '', endpoint: origin }, { maxAttempts: 1 })
}

type Reason = 'TransactionConflict' | 'ConditionalCheckFailed'

/** DynamoDB refuses a write by the reason's name, and a transaction with a reason for each item. */
function refusedWrite({ operation, input }: TableRequest, reason: Reason): Mishap | undefined {
  const { TransactItems = [], ConditionExpression } = JSON.parse(input)
  if (operation === 'TransactWriteItems') return cancelled(TransactItems, reason)
  const isPossible = operation === 'UpdateItem' && (reason === 'TransactionConflict' || ConditionExpression)
  return isPossible ? { refusal: `${reason}Exception` } : undefined
}

type TransactItems = Readonly<Record<string, { readonly ConditionExpression?: string }>>[]

/** The transaction is cancelled because of the first item that can be the reason. */
function cancelled(items: TransactItems, reason: Reason): Mishap {
  const mayBeCause = (item: TransactItems[number]) =>
    reason === 'TransactionConflict' ||
    Object.values(item).some(({ ConditionExpression }) => ConditionExpression)
  const cause = items.findIndex(mayBeCause)
  const reasons = items.map((_, index) => ({ Code: index === cause ? reason : 'None' }))
  return { refusal: 'TransactionCanceledException', rest: { CancellationReasons: reasons } }
}
