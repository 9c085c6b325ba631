import type { TableLocation } from '#lib/table/table.ts'
import { dataFilesOf } from './data-folder.ts'
import { root } from './program.ts'
import { runningOver } from './running.ts'

/**
 * The bucket of a table's archive, or the folder of a local installation: what ARCHIVE_BUCKET names,
 * otherwise the folder next to the database of a running npm start; `undefined` for another table.
 */
export function archiveOf(location: TableLocation): string | undefined {
  const { ARCHIVE_BUCKET: named = '' } = process.env
  if (named !== '') return named
  const local = runningOver(root, location)
  return local && dataFilesOf(local.dataset).archive
}
