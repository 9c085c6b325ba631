import {
  BatchGetItemCommand,
  InternalServerError,
  ProvisionedThroughputExceededException,
  QueryCommand,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import { BatchWriteCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { TableClient } from '#lib/table/requests/client.ts'
import { cancelled } from './plain-table.ts'
import type { Draws } from './random.ts'
import type { OutsideRequest, Scheduler } from './scheduler.ts'

/** A client whose requests wait for the scheduler, and fail as those to AWS do. */
export function scheduledClient(table: TableClient, scheduler: Scheduler, draws: Draws): TableClient {
  // DynamoDB answers the repetition of a transaction that was carried out without looking at its items again,
  // so that it cancels none of these.
  const carriedOut = new Set<unknown>()
  const requestOf = (command: object): OutsideRequest => {
    const token = command instanceof TransactWriteCommand ? command.input.ClientRequestToken : undefined
    return {
      get what() {
        return wordsOf(command)
      },
      perform: async () => {
        const answer = await table.send(command as never)
        if (token !== undefined) carriedOut.add(token)
        return answer
      },
      refusals: () => [...refusalsOfAll, ...(carriedOut.has(token) ? [] : refusalsOf(command, draws))],
      lost: noAnswer,
      repeats: ({ name }) => REPEATED.has(name),
    }
  }
  return { send: ((command: object) => scheduler.ask(requestOf(command))) as TableClient['send'] }
}

const NOTHING = { $metadata: {} }

/** Smithy's clients repeat what was throttled, what failed with a 5xx, and connections that broke. */
const REPEATED = new Set([
  'ProvisionedThroughputExceededException',
  'TransactionInProgressException',
  'InternalServerError',
  'TimeoutError',
])

export const noAnswer = (): Error =>
  Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET', ...NOTHING })

const refusalsOfAll = [
  () => new ProvisionedThroughputExceededException({ message: 'Throttled', ...NOTHING }),
  () => new InternalServerError({ message: 'Internal server error', ...NOTHING }),
]

/** The same transaction may be under way; another one may be at an item of it. */
function refusalsOf(command: object, draws: Draws): (() => Error)[] {
  if (command instanceof UpdateCommand)
    return [() => new TransactionConflictException({ message: 'Transaction is ongoing', ...NOTHING })]
  if (!(command instanceof TransactWriteCommand)) return []
  const count = command.input.TransactItems?.length ?? 0
  const because = (code: string) => () => {
    const at = draws.below(count)
    return cancelled(Array.from({ length: count }, (_, index) => (index === at ? code : 'None')))
  }
  return [
    because('TransactionConflict'),
    because('ThrottlingError'),
    () => new TransactionInProgressException({ message: 'In progress', Message: 'In progress', ...NOTHING }),
  ]
}

/** The words of a story for a request. */
function wordsOf(command: object): string {
  const { input } = command as { readonly input: Readonly<Record<string, unknown>> }
  if (command instanceof QueryCommand) {
    const values = command.input.ExpressionAttributeValues ?? {}
    return `query ${values[':pk']?.S}`
  }
  if (command instanceof BatchGetItemCommand) {
    const keys = Object.values(command.input.RequestItems ?? {}).flatMap(({ Keys = [] }) => Keys)
    return `read ${keys.map(({ PK }) => PK?.S).join(', ')}`
  }
  if (command instanceof UpdateCommand) return `update ${command.input.Key?.['PK']}`
  if (command instanceof TransactWriteCommand) {
    const parts = (command.input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) =>
      String((Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key)?.['PK']),
    )
    return `write ${parts.join(', ')}`
  }
  if (command instanceof BatchWriteCommand) return `write a batch of ${Object.values(input).length}`
  return command.constructor.name
}
