import type { APIGatewayProxyResult } from 'aws-lambda'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { element } from '#lib/xml/element.ts'
import { refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'

type Headers = Readonly<Record<string, string>>

/** In seconds. */
const [SOON, NEXT_MINUTE] = [5, 60].map((seconds): Headers => ({ 'Retry-After': String(seconds) }))

/** Why a request is not taken in: its status, what it says, and what its client may need to know. */
const REFUSALS = {
  unauthorized: [401, 'Unauthorized', { 'WWW-Authenticate': 'Basic realm="intake", charset="UTF-8"' }],
  unknown_format: [404, 'Unknown format', {}],
  wrong_verb: [405, 'Method not allowed', { Allow: 'POST' }],
  too_large: [413, 'Request is too large', {}],
  too_many: [429, 'Too many requests', NEXT_MINUTE],
  try_again: [503, 'Try again', SOON],
} as const satisfies Record<string, readonly [number, string, Headers | undefined]>

/** What came of a request. */
export type IntakeOutcome = 'taken' | keyof typeof REFUSALS

/** A switch looks at the status and at nothing else. */
export function answerFor(outcome: IntakeOutcome): APIGatewayProxyResult {
  if (outcome === 'taken') return answer(200, element('page', element('status', 'ok')))
  const [status, words, headers] = REFUSALS[outcome]
  return answer(status, refusalBelowMethods(words), headers)
}

const answer = (
  statusCode: number,
  document: ReturnType<typeof element>,
  headers: Headers = {},
): APIGatewayProxyResult => ({
  statusCode,
  headers: { ...HEADERS_BELOW_METHODS, ...headers },
  body: wholeDocument(document),
})
