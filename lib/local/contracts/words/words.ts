/** What a person wants to know of a parameter, besides its type. Apart from the contracts, which every bundle carries. */
export interface ParameterWords {
  /** One sentence. */
  readonly says: string
  /** A call without it is refused; a text says which other one would do. */
  readonly required?: true | string
  /** What holds when it is not sent, where something does. */
  readonly default?: string
  /** The values it may have, where its type does not say them. */
  readonly values?: readonly string[]
  /** What a value of another form does, where its type does not say it. */
  readonly otherwise?: string
  /** One value that is sensible on the demo. */
  readonly example: string
}

export type WordsOfMethods = Readonly<Record<string, Readonly<Record<string, ParameterWords>>>>

/** The ends of a period, 18 November 2026 in UTC. */
export const PERIOD = {
  from: {
    says: 'The first moment of the period.',
    default: "the start of today in the installation's time zone",
    example: '1794960000',
  },
  till: {
    says: 'The last moment of the period.',
    default: "the end of today in the installation's time zone",
    example: '1795046399',
  },
} as const satisfies Record<string, ParameterWords>

export const ignored = (says: string, example = ''): ParameterWords => ({
  says: `${says} It counts in the signature and asks for nothing.`,
  example,
})
