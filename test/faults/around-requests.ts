import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import type { TableClient } from '#lib/table/requests/client.ts'

/** Handles a command, and may send it: not at all, once or several times. */
export type Around = (command: object, send: () => Promise<unknown>) => Promise<unknown>

/** The same client with every command going through `around`. */
export const aroundRequests = (client: TableClient, around: Around): TableClient => ({
  send: (command: never, ...how: readonly never[]) =>
    around(command, () => client.send(command, ...how)) as never,
})

/** The embedded engine serialises transactions, so this error must be made up. */
export const conflict = (): Error =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
  })
