/** The mutants that no test can kill, or that are not worth a test, by their reason; as bench/mutants.md names them. */
const BY_REASON: Readonly<Record<string, readonly string[]>> = {}

export const EXPLAINED_SURVIVORS: ReadonlyMap<string, string> = new Map(
  Object.entries(BY_REASON).flatMap(([reason, mutants]) =>
    mutants.map((mutant) => [mutant, reason] as const),
  ),
)
