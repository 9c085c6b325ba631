import { join } from 'node:path'
import { Argument, type Command } from '@commander-js/extra-typings'
import { countOf } from '#lib/base/text.ts'
import { type FileName, fileNames } from '#lib/dataset/import/files.ts'
import { BOOKS } from '#lib/dataset/import/folder.ts'
import type { Store } from '#lib/table/store.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { itemsIn } from '../../command-line/open-table.ts'
import { overTable, withTableOptions } from '../../command-line/over-table.ts'
import { printLine } from '../../machine/terminal.ts'
import { bucketAt } from '../archive/archive.ts'
import { hasBooks } from './books.ts'
import { type ExportedFile, exportDataset } from './export-table.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It reads the whole table once, about one read unit for each 4 KB, and reports the read units. Of a tariff it takes the active \
version. Existing files are not overwritten, and only you can read the new ones. If rows are written meanwhile, the files \
may hold old and new rows. Exit code 1: some values could not be written unchanged.',
    )
    .argument('<folder>', 'the new folder', pathArgument)
    .addArgument(new Argument('[files...]', 'only these files').choices(fileNames).default(fileNames, 'all'))
    .option(
      '--with-secrets',
      'also write passwords, uniquehashes, secrets and PINs of devices, and the secret key',
    )
    .action((folder, files, { withSecrets = false, ...options }) =>
      overTable(options, (store, location) => exportTable(store, location, folder, { files, withSecrets })),
    )

const ALL_WRITTEN = 0
const SOME_LEFT_OUT = 1

async function exportTable(
  store: Store,
  location: TableLocation,
  folder: string,
  { files, withSecrets }: { readonly files: readonly FileName[]; readonly withSecrets: boolean },
): Promise<number> {
  let warnings = 0
  const warn = (sentence: string) => {
    warnings += 1
    printLine(sentence)
  }
  const pages = itemsIn(location, store)
  const isWhole = files.length === fileNames.length
  const booksFrom = isWhole ? () => bucketAt(location) : undefined
  const exported = await exportDataset(store, pages, { folder, files, withSecrets, booksFrom, warn })
  for (const { path, rows } of exported.filter((one) => one.rows > 0))
    printLine(`${path}: ${countOf(rows, 'row')}`)
  if (hasBooks(folder))
    printLine(`${join(folder, BOOKS)}: documents as they were issued, the journal, histories, files`)
  printLine(countOf(Math.ceil(store.meter.spent.read), 'read unit'))
  for (const line of exported.flatMap(describeLeftOut)) printLine(line)
  return warnings > 0 ? SOME_LEFT_OUT : ALL_WRITTEN
}

/** The values that an import into an empty table would lack. */
const describeLeftOut = ({ file, leftOut }: ExportedFile): string[] =>
  [...leftOut].map(
    ([name, rows]) =>
      `Left out of ${file}: ${name} of ${countOf(rows, 'row')}. In a new table ${EFFECTS[name] ?? 'it is blank'}.`,
  )

const EFFECTS: Readonly<Record<string, string>> = {
  API_Secret_Key: 'no client can sign: run `npx tollgate settings set API_Secret_Key - --as USERNAME`',
  password_hash: 'accounts need a password: give users.csv a column password or password_hash',
  uniquehash: 'new ones are generated: tell them to their users',
}
