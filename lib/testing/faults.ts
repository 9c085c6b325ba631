import {
  ProvisionedThroughputExceededException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { TableClient } from '#lib/store/requests/client.ts'

/** The client with every request going through `around`, which may send it, or not, or more than that. */
export const aroundRequests = (
  client: TableClient,
  around: (command: object, send: () => Promise<unknown>) => Promise<unknown>,
): TableClient => ({
  send: (command: never, ...how: readonly never[]) =>
    around(command, () => client.send(command, ...how)) as never,
})

/** What may go wrong with a request to the table. */
export type Fault =
  /** Refused for too much load, after all attempts. */
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

/** A client whose requests fail as `next` says; the engine serialises transactions, so conflicts must be made up. */
export const faultyClient = (client: TableClient, next: () => Fault | undefined): TableClient =>
  aroundRequests(client, async (command, send) => {
    const fault = next()
    const refusal = fault && refusalOf(fault, command)
    if (refusal) throw refusal
    const answer = await send()
    if (fault === 'crash after') throw new Crash('The process ended')
    return answer
  })

function refusalOf(fault: Fault, command: object): Error | undefined {
  if (fault === 'crash before') return new Crash('The process ended')
  if (fault === 'throttled') return throttled()
  return fault === 'conflict' && command instanceof TransactWriteCommand ? conflict() : undefined
}

export const throttled = (): Error =>
  new ProvisionedThroughputExceededException({ message: 'Too much', $metadata: {} })

export const conflict = (): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  })
