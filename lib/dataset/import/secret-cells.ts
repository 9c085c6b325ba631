import type { Source, SourceRow } from '#lib/dataset/cells/source.ts'
import type { DatasetFile } from '#lib/dataset/format/dataset-file.ts'
import { datasetFiles, type FileName } from './files.ts'

/**
 * The rows of a file as they may lie where others read: without what is secret. Of a file that has secrets only the other
 * columns of its format are left, and of a row whose cells may stand in the wrong columns nothing.
 */
export function withoutSecrets(source: Source, file: FileName): Source {
  const { columns, secrets }: DatasetFile = datasetFiles[file]
  if (!secrets) return source
  const open = new Set(Object.keys(columns).filter((name) => !secrets.includes(name)))
  return {
    file: source.file,
    async *rows() {
      for await (const row of source.rows()) yield onlyWith(open, row)
    },
  }
}

const onlyWith = (open: ReadonlySet<string>, { line, cells, problem }: SourceRow): SourceRow =>
  problem === undefined
    ? { line, cells: Object.fromEntries(Object.entries(cells).filter(([name]) => open.has(name))) }
    : { line, cells: {}, problem }
