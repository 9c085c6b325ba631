import { AwsError } from '#lib/aws/errors.ts'
import type { Client, Send } from '#lib/store/client.ts'

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
export function faultyClient(client: Pick<Client, 'send'>, next: () => Fault | undefined): { send: Send } {
  const send: Send = async (operation, input) => {
    const fault = next()
    const refusal = fault && refusalOf(fault, operation)
    if (refusal) throw refusal
    const answer = await client.send(operation, input)
    if (fault === 'crash after') throw new Crash('The process ended')
    return answer
  }
  return { send }
}

function refusalOf(fault: Fault, operation: string): Error | undefined {
  if (fault === 'crash before') return new Crash('The process ended')
  if (fault === 'throttled') return throttled()
  return fault === 'conflict' && operation === 'TransactWriteItems' ? conflict() : undefined
}

const throttled = (): Error =>
  new AwsError('ProvisionedThroughputExceededException', 'Too much', { status: 400 })

const conflict = (): Error =>
  new AwsError('TransactionCanceledException', 'Transaction cancelled', {
    status: 400,
    document: { CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }] },
  })
