/** The mutants of lib/mediation that no test beside the code can kill, by the reason. */
export const mediationMutants: Readonly<Record<string, readonly string[]>> = {}
