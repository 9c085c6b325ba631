const DAYS_CHECKED = 30

/** The words of a command without the days of `--check-use`, which may be given without a number. */
export function checkedUse(
  isWanted: boolean,
  words: readonly string[],
): { readonly days?: number; readonly others: readonly string[] } {
  if (!isWanted) return { others: words }
  const days = words.find((word) => /^\d{1,4}$/.test(word))
  return { days: Number(days ?? DAYS_CHECKED), others: words.filter((word) => word !== days) }
}
