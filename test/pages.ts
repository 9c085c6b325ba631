/** The rows of all pages of a list. */
export async function rowsOfPages<T>(pages: AsyncIterable<readonly T[]>): Promise<T[]> {
  const rows: T[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}
