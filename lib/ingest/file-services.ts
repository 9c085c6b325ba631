import type { TableServices } from '#lib/store/store.ts'
import { awsFileStore } from './file-store.ts'
import type { DroppedFiles } from './import-file.ts'
import { servicesOfOwnTable } from './own-table.ts'

const PART_BYTES = 8_000_000

/** The services of a running Lambda that takes files in. */
export const fileServices = (): TableServices & Omit<DroppedFiles, 'door' | 'importSheet'> => ({
  ...servicesOfOwnTable(),
  files: awsFileStore(process.env),
  partBytes: PART_BYTES,
})
