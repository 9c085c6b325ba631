import { type DynamoDBClient, TransactionCanceledException } from '@aws-sdk/client-dynamodb'

/** What may go wrong with a request to the table. */
export type Fault =
  /** Refused for too much load, after the SDK's own attempts. */
  | 'throttled'
  /** Another transaction is changing one of the items, such as the same counter. */
  | 'conflict'
  /** The process ends before the request has left. */
  | 'crash before'
  /** The process ends after the table has done it. */
  | 'crash after'

/** A crash of the process that sent the request. */
export class Crash extends Error {
  readonly code = 'CRASH'
}

type Client = Pick<DynamoDBClient, 'send'>

/** A client whose requests fail as `next` says; the engine serialises transactions, so conflicts must be made up. */
export function faultyClient(client: Client, next: () => Fault | undefined): Client {
  const send = async (command: { constructor: { name: string } }) => {
    const fault = next()
    const refusal = fault && refusalOf(fault, command.constructor.name)
    if (refusal) throw refusal
    const answer = await client.send(command as never)
    if (fault === 'crash after') throw new Crash('The process ended')
    return answer
  }
  return { send: send as Client['send'] }
}

function refusalOf(fault: Fault, command: string): Error | undefined {
  if (fault === 'crash before') return new Crash('The process ended')
  if (fault === 'throttled') return throttled()
  return fault === 'conflict' && command === 'TransactWriteItemsCommand' ? conflict() : undefined
}

const throttled = (): Error =>
  Object.assign(new Error('Too much'), { name: 'ProvisionedThroughputExceededException', $metadata: {} })

const conflict = (): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  })
