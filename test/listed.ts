import { text } from 'node:stream/consumers'
import { type ListedRow, type Listing, listingText } from '#tools/command-line/listing.ts'

/** The lines of a list as a table, with its header and its summary. */
export const linesOfList = async (listing: Listing): Promise<string[]> =>
  (await text(listingText(listing, 'table'))).trimEnd().split('\n')

export const rowsOfList = ({ rows }: Listing): Promise<ListedRow[]> => Array.fromAsync(rows)
