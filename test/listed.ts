import { type ListedRow, type Listing, listingText } from '#tools/commands/listing.ts'

/** The lines of a list as a table, with its header and its summary. */
export async function linesOfList(listing: Listing): Promise<string[]> {
  let table = ''
  for await (const text of listingText(listing, 'table')) table += text
  return table.trimEnd().split('\n')
}

export async function rowsOfList({ rows }: Listing): Promise<ListedRow[]> {
  const all: ListedRow[] = []
  for await (const row of rows) all.push(row)
  return all
}
