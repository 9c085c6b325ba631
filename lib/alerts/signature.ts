import { createHmac, randomBytes } from 'node:crypto'
import type { Seconds } from '#lib/base/calendar.ts'

const PREFIX = 'whsec_'

/** Standard Webhooks asks for 24 to 64 random bytes. */
const SECRET_BYTES = 32

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

/**
 * The headers of Standard Webhooks. While a secret is changed, two sign, so that a receiver may have either:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const signedHeaders = (
  { id, at, body }: { readonly id: string; readonly at: Seconds; readonly body: string },
  secrets: readonly string[],
) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': secrets.map((secret) => `v1,${signature(secret, `${id}.${at}.${body}`)}`).join(' '),
})

const signature = (secret: string, text: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(text)
    .digest('base64')
