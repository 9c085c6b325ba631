import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { isLambda } from './aws-config.ts'

const EXPIRED = 'ExpiredTokenException'

/**
 * For credentials that AWS took before and no longer takes: a program asks once more where it found them, and sends its
 * request again. A Lambda has those of its environment only, which stay as they are for as long as its process runs: the
 * process ends, the gateway answers 500 or the queue delivers again, and the next process has fresh ones.
 */
export function renewExpired(client: DynamoDBClient): void {
  const renew = isLambda(process.env) ? endProcess : () => client.config.credentials({ forceRefresh: true })
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch(async (error: Error) => {
        if (error.name !== EXPIRED) throw error
        await renew()
        return next(request)
      }),
    // Within what prepares the input, which must not be done twice, and around what looks for credentials.
    { name: 'renewExpired', step: 'initialize', priority: 'low' },
  )
}

async function endProcess(): Promise<never> {
  const error = 'The credentials have expired: this process ends, and the next one starts with fresh ones'
  process.stdout.write(`${JSON.stringify({ error })}\n`)
  return process.exit(1)
}
