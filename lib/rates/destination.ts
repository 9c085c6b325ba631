import type { Item } from '#lib/table/items.ts'
import { keyForm, listName } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import {
  activeVersion,
  findLines,
  type PagedList,
  type ReadVersion,
  readVersions,
  type Version,
} from './prefix-versions.ts'

/** A row of the directory of known destinations. */
export interface Destination {
  readonly prefix: string
  readonly direction: string
  readonly destination: string
}

export const DESTINATION_CELLS = [
  'prefix',
  'direction',
  'destination',
] as const satisfies readonly (keyof Destination)[]

export const destinationLine = ({ prefix, direction, destination }: Destination): string =>
  `${prefix}\t${direction}\t${destination}`

export function destinationIn(line: string): Destination {
  const [prefix = '', direction = '', destination = ''] = line.split('\t')
  return { prefix, direction, destination }
}

export const directoryKey = keyForm('DIRECTORY', 'DIRECTORY')()

export const directoryPages = listName('DESTINATIONS#<version>')

export const directoryList: PagedList = { header: directoryKey, pages: directoryPages }

export const toDirectory = (header: Item | undefined): Version | undefined =>
  activeVersion(readVersions(header))

export const findDirectory = async (store: Store): Promise<Version | undefined> =>
  toDirectory(await store.get(directoryKey))

/** Whether the digits begin with the prefix of a known destination. Reads one page. */
export async function isKnownDestination(
  store: Store,
  version: ReadVersion,
  digits: string,
): Promise<boolean> {
  return (await findLines(store, directoryList, version, digits)).length > 0
}
