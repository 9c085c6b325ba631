/** The parameters as sent, by name; what was not sent is missing. */
export type RawParameters = Readonly<Partial<Record<string, string>>>

export type Parameter = readonly [name: string, value: string]
