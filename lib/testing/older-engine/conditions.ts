import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { skipTest } from '#lib/testing/skip.ts'

/** `npm run test:older-engine`: DynamoDB Local of January 2020 (docs/data-model.md, Other DynamoDB engines). */
const isOlderEngine = process.env['TOLLGATE_OLDER_ENGINE'] === 'true'

/** Skips a test that states capacity units: the older engine counts them in another way than AWS. */
export function skipUnits(): void {
  if (isOlderEngine) skipTest('it states units, which this engine counts in another way than AWS')
}

/** A line of the log. A test that reads units in it is skipped on the older engine. */
export function skippingUnits<T extends object>(line: T): T {
  if (!isOlderEngine) return line
  const units = Object.entries(line).filter(([name, value]) => name.endsWith('_units') && value !== 0)
  const read = (value: unknown) => () => {
    skipUnits()
    return value
  }
  const properties = units.map(([name, value]) => [name, { get: read(value), enumerable: true }])
  return Object.defineProperties({ ...line }, Object.fromEntries(properties))
}

const TRANSACTION_OF_OLDER_ENGINE = /length less than or equal to 10$/

/** Skips a test when the older engine refuses a transaction of more than 10 items. AWS has taken 100 since 2022. */
export function skippingLongTransactions(client: DynamoDBDocumentClient): DynamoDBDocumentClient {
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error: Error) => {
        if (TRANSACTION_OF_OLDER_ENGINE.test(error.message))
          skipTest('it needs a transaction of more than 10 items')
        throw error
      }),
    { name: 'skippingLongTransactions', step: 'initialize' },
  )
  return client
}
