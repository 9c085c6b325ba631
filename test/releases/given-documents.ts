import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { root } from '#tools/machine/program.ts'

/** Documents and the files that a version gave of them. No later version gives other bytes. */
const FOLDER = `${root}data/given-documents`

export const versionsOfGivenDocuments = (): string[] => readdirSync(FOLDER).sort()

export const givenFolder = (version: string): string => `${FOLDER}/${version}`

const TABLE = 'table.ndjson'

export const givenLines = (version: string): string[] =>
  readFileSync(`${givenFolder(version)}/${TABLE}`, 'utf8')
    .trimEnd()
    .split('\n')

/** A document is printed from these: settings, the document with its pages, looks, the names of its files. */
const IS_NEEDED =
  /^\{"Item":\{.*"PK":\{"S":"(SETTINGS|(INVOICE|CREDITNOTE|DOCUMENTFILES|BRANDKEPT)#[^"]*)"|"SK":\{"S":"(INVOICE|CREDITNOTE)#/

export async function writeGivenDocuments(
  version: string,
  { lines, files }: { readonly lines: readonly string[]; readonly files: string },
): Promise<void> {
  await mkdir(givenFolder(version), { recursive: true })
  await cp(files, givenFolder(version), { recursive: true })
  const needed = lines.filter((line) => IS_NEEDED.test(line))
  await writeFile(`${givenFolder(version)}/${TABLE}`, `${needed.join('\n')}\n`)
}
