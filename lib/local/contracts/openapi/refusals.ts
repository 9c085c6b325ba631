import { gateRefusals, httpRefusal } from '#lib/api/errors.ts'
import type { Contract } from '#lib/api/method.ts'
import { refusalDocument } from '#lib/api/refusal-document.ts'
import { envelopes, refusalBelowMethods } from '#lib/xml/envelopes.ts'
import { wholeDocument } from '#lib/xml/render.ts'

interface Example {
  readonly summary: string
  readonly value: string
}

/** Every refusal that a method itself may give, as it comes. */
export const refusalsOf = ({ callers, errors, envelope }: Contract): Record<string, Example> => {
  const inEnvelope = (message: string) => wholeDocument(envelopes[envelope].failure(message))
  const turnedAway =
    callers === 'public'
      ? []
      : [
          ['refused_anonymous', 'No, an unknown or a blocked account', callers.anonymous] as const,
          ...(callers.others
            ? [['refused_others', 'An account of another type', callers.others] as const]
            : []),
        ]
  const own = Object.entries(errors).map(([code, message]) => [`refused_${code}`, message, message] as const)
  return Object.fromEntries(
    [...turnedAway, ...own].map(([code, summary, message]) => [
      code,
      { summary, value: inEnvelope(message) },
    ]),
  )
}

/** The refusals before a method is reached: the same for all. */
export const gateExamples: Record<string, Example> = Object.fromEntries(
  Object.entries(gateRefusals).map(([code, message]) => [
    `gate_${code}`,
    { summary: message, value: wholeDocument(refusalBelowMethods(message)) },
  ]),
)

const BELOW = {
  '400': ['bad_request', 'The request cannot be read.'],
  '404': ['unknown_method', 'The path names no method.'],
  '405': ['wrong_verb', 'Neither GET nor POST.'],
  '413': ['too_large', 'More than 1,000,000 bytes.'],
  '415': ['unsupported_type', 'A body of another type.'],
  '500': ['internal', 'A bug, or (`The outcome is unknown`) the time was over while a write was under way.'],
  '503': ['out_of_time', 'The time was over, and nothing was stored.'],
} as const

/** What is answered below the methods, by HTTP status (wire.md 1.4). */
export const responsesBelow = {
  ...Object.fromEntries(
    Object.entries(BELOW).map(([status, [kind, says]]) => [
      status,
      plainResponse(says, httpRefusal(kind).message, refusalDocument(kind)),
    ]),
  ),
  '429': plainResponse(
    'API Gateway throttles.',
    'Too many requests',
    wholeDocument(refusalBelowMethods('Too many requests')),
  ),
}

function plainResponse(description: string, summary: string, value: string) {
  return {
    description,
    content: { 'text/xml': { schema: { type: 'string' }, examples: { answer: { summary, value } } } },
  }
}
