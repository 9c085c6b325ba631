import type { DatasetFile } from './dataset-file.ts'
import { keyColumnsOf } from './key-columns.ts'
import { checkRows } from './row-check.ts'
import type { RowFormat } from './row-format.ts'
import { previewRows, writeRows } from './row-writing.ts'

/** A dataset file that is read twice, to check its rows and to write them; none of them is kept in between. */
export const rowFile = <R extends object>(format: RowFormat<R>): DatasetFile => ({
  columns: format.columns,
  keyColumns: keyColumnsOf(format),
  exported: format.exported,
  takesFurtherColumns: format.takesFurtherColumns,
  secrets: format.secrets,
  check: async (job) => {
    const checked = await checkRows(format, job)
    const { rows, refused } = checked
    return {
      rows,
      refused,
      checkLast: async () => {
        const late = await format.checkLast?.(job.world)
        for (const [line, reason] of late ?? []) refused.set(line, reason)
      },
      preview: () => previewRows(format, job, checked),
      write: () => writeRows(format, job, checked),
    }
  },
})
