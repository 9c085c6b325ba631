/** The mutants of lib/rating that no test beside the code can kill, by the reason. */
export const ratingMutants: Readonly<Record<string, readonly string[]>> = {}
