import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { safeParse } from 'valibot'
import { csvLine } from '#lib/csv/writer.ts'
import { settingError } from '#lib/domain/settings.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { currencyColumns } from '#lib/store/rates/currency.ts'
import { type FirstFile, firstDataset, type NewInstallation } from './first-dataset.ts'

const ONLY_FOR_ITS_OWNER = { folder: 0o700, file: 0o600 }

/** Writes a small dataset that can be served at once, and a README that explains its columns. Answers the names of the files. */
export async function writeFirstDataset(folder: string, wanted: NewInstallation): Promise<string[]> {
  refuseIf(problemOf(wanted))
  await mkdir(folder, { recursive: true, mode: ONLY_FOR_ITS_OWNER.folder })
  refuseIf((await readdir(folder)).length > 0 ? `${folder} is not empty: name another folder` : undefined)
  const files = await firstDataset(wanted)
  const texts = [
    ...files.map((one) => [`${one.file}.csv`, csvOf(one)] as const),
    ['README.md', readmeOf(wanted, files)] as const,
  ]
  for (const [name, text] of texts)
    await writeFile(join(folder, name), text, { mode: ONLY_FOR_ITS_OWNER.file, flag: 'wx' })
  return texts.map(([name]) => name)
}

const SHORTEST_PASSWORD = 8

/** Why an installation cannot be made of this. */
export function problemOf({ company, currency, timezone, password }: NewInstallation): string | undefined {
  if (company.trim() === '') return 'The company must have a name'
  if (!safeParse(currencyColumns.name.schema, currency).success)
    return `The currency ${JSON.stringify(currency)} takes: ${currencyColumns.name.describes}`
  if (password.length < SHORTEST_PASSWORD) return `The password has at least ${SHORTEST_PASSWORD} characters`
  return settingError('Timezone', timezone)
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new CommandError(problem)
}

function csvOf({ rows, columns }: FirstFile): string {
  const cellsOf = (row: number) =>
    columns.map(([, cells]) => (typeof cells === 'string' ? cells : (cells[row] ?? '')))
  const lines = [columns.map(([name]) => name), ...Array.from({ length: rows }, (_, row) => cellsOf(row))]
  return lines.map(csvLine).join('')
}

const readmeOf = ({ company }: NewInstallation, files: readonly FirstFile[]): string =>
  `# ${company}

\`npm start -- --data <this folder>\` serves it. Change a file and import it again: \`npm run import -- <file>\`; a column that a file does
not have keeps what is stored. All files and columns there are: docs/datasets.md.
${files.map(sectionOf).join('')}`

const sectionOf = ({ file, about, columns }: FirstFile): string =>
  `
## ${file}.csv

${about}

| column | what it says |
| --- | --- |
${columns.map(([name, , meaning]) => `| ${name} | ${meaning} |\n`).join('')}`
