import { type ExportedFile, exportDataset } from '#lib/dataset/export/export.ts'
import { DatasetError } from '#lib/dataset/format/dataset-file.ts'
import { type FileName, fileNames, isFileName } from '#lib/dataset/import/files.ts'
import { itemsOf } from '#lib/local/commands/aws-account.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table.ts'

const ALL_WRITTEN = 0
const SOME_LEFT_OUT = 1

export interface WantedExport {
  readonly folder: string
  /** None: all of them. */
  readonly files: readonly string[]
  readonly withSecrets: boolean
  readonly say: (line: string) => void
}

/** Exports a table, and says what it cost and what a new table would lack; answers the exit code. */
export async function runExport(
  store: Store,
  location: TableLocation,
  { say, ...wanted }: WantedExport,
): Promise<number> {
  let warnings = 0
  const warn = (sentence: string) => {
    warnings += 1
    say(sentence)
  }
  const files = wanted.files.length === 0 ? fileNames : wanted.files.map(fileNamed)
  const pages = itemsOf(location, store)
  const exported = await exportDataset({ store, pages }, { ...wanted, files, warn })
  for (const { path, rows } of exported.filter((one) => one.rows > 0)) say(`${path}: ${rows} rows`)
  const units = Math.ceil(store.meter.spent.read)
  say(`${units} read units`)
  for (const line of exported.flatMap(lacksOf)) say(line)
  return warnings > 0 ? SOME_LEFT_OUT : ALL_WRITTEN
}

function fileNamed(name: string): FileName {
  if (isFileName(name)) return name
  throw new DatasetError(`There is no file ${name} in a dataset: there are ${fileNames.join(', ')}`)
}

/** What an import into an empty table would not have. */
const lacksOf = ({ file, leftOut }: ExportedFile): string[] =>
  [...leftOut].map(([name, rows]) => {
    const way = WAYS_OUT[name] ?? 'they would be blank'
    return `Left out of ${file}: ${name} of ${rows} ${rows === 1 ? 'row' : 'rows'}. In a new table ${way}.`
  })

const WAYS_OUT: Readonly<Record<string, string>> = {
  API_Secret_Key: 'nobody can sign before `npm run settings -- set API_Secret_Key -`',
  password_hash: 'an account needs a password: give users.csv a column password or password_hash',
  uniquehash: 'new ones are made, which their users must be told',
}
