/** A parameter's description, apart from the contract, which every bundle contains. */
export interface ParameterWords {
  readonly says: string
  /** A call without it is refused. A text names the alternative. */
  readonly required?: true | string
  /** The effect of not sending it. */
  readonly default?: string
  /** The values it takes, if the type does not name them. */
  readonly values?: readonly string[]
  /** The values it takes and the effect of others, if the type does not name them. */
  readonly otherwise?: string
  /** A sensible value on the demo. */
  readonly example: string
}

/** Keyed by method, then by parameter. */
export type MethodWords = Readonly<Record<string, Readonly<Record<string, ParameterWords>>>>

/** A parameter that may be left out. */
export const optionalWords = (says: string, example: string): ParameterWords => ({ says, example })

/** A parameter without which a call is refused. */
export const requiredWords = (says: string, example: string): ParameterWords => ({
  says,
  required: true,
  example,
})

/** The parameters of a period. The examples are 18 November 2026 in UTC. */
export const PERIOD = {
  from: {
    says: 'The first moment of the period.',
    default: 'the start of today',
    example: '1794960000',
  },
  till: {
    says: 'The last moment of the period.',
    default: 'the end of today',
    example: '1795046399',
  },
} as const satisfies Record<string, ParameterWords>

/** A parameter that clients in use send and the method ignores. */
export const signedOnlyWords = (example = ''): ParameterWords =>
  optionalWords('Counts in the signature only.', example)
