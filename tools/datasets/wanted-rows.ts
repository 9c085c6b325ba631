import { createDigestMap } from '#lib/base/digest.ts'
import { identityName } from '#lib/calls/call.ts'
import type { FileName } from '#lib/dataset/import/files.ts'
import type { OpenFile } from '#lib/dataset/import/import.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import { idColumnOf } from '#lib/table/entity.ts'
import { exportedRows } from '../commands/export/exported-rows.ts'

export type WantedRows = Awaited<ReturnType<typeof readWanted>>

const SEEN = 1

/** Reads what identifies the rows of a dataset: 16 bytes of a row are kept. */
export async function readWanted(files: readonly OpenFile[]) {
  const wanted = new Map<FileName, ReturnType<typeof createDigestMap>>()
  const seen = new Map<FileName, number>()
  for (const { file, source } of files) {
    const nameIn = nameReader(file)
    if (!nameIn) continue
    const names = wanted.get(file) ?? createDigestMap()
    wanted.set(file, names)
    for await (const { cells } of source.rows()) names.swap(nameIn(cells), 0)
  }
  return {
    /** Also true for a file that the dataset does not have. */
    has: (file: FileName, id: string): boolean => {
      const names = wanted.get(file)
      const known = names?.get(id)
      if (known === 0) {
        names?.swap(id, SEEN)
        seen.set(file, (seen.get(file) ?? 0) + 1)
      }
      return names === undefined || known !== undefined
    },
    /** The number of rows of each file that were never asked for. */
    missing: (): ReadonlyMap<FileName, number> =>
      new Map([...wanted].map(([file, { size }]) => [file, size - (seen.get(file) ?? 0)])),
  }
}

function nameReader(file: FileName): ((cells: Cells) => string) | undefined {
  if (file === 'calls')
    return ({ uniqueid = '', source, source_part }) =>
      identityName({ uniqueid, source: source || undefined, source_part: source_part || undefined })
  const { entity } = exportedRows[file]
  return entity && ((cells) => asId(cells[idColumnOf(entity)] ?? ''))
}

/** An id as the table has it. */
const asId = (cell: string): string => (/^\s*\d{1,15}\s*$/.test(cell) ? String(Number(cell)) : cell.trim())
