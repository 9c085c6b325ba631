import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { importPath } from '#lib/dataset/import/folder.ts'
import { recordDataset } from '#lib/ingest/bucket-prefixes.ts'
import { type DatasetRows, importRows } from '#test/datasets/import-rows.ts'
import { demoDataset } from '#tools/machine/data-folder.ts'
import type { FixtureTable } from './fixture-table.ts'
import { minutesBefore } from './release-time.ts'

/** Each tariff gets three versions, and the directory of destinations two. */
export async function importReleaseDemo({ store }: FixtureTable): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-release-'))
  const dataset = join(folder, 'demo')
  await cp(demoDataset, dataset, { recursive: true })
  const take = (path: string, minutes: number) =>
    importPath({ store, clock: () => minutesBefore(minutes) }, path, { allowRemovals: true })
  await editLines(dataset, 'calls', keeping(/,@now-\d{1,4}s|^demo-0\d[05]00,/))
  await editLines(dataset, 'settings', withWholesaleCustomer)
  await editLines(dataset, 'destinations', keeping(WIDESPREAD))
  await editLines(dataset, 'rates', keeping(WIDESPREAD))
  await take(dataset, 60)
  await editLines(dataset, 'destinations', withoutEvery(7))
  await take(join(dataset, 'destinations.csv'), 50)
  await editLines(dataset, 'rates', withoutEvery(7))
  await take(join(dataset, 'rates.csv'), 50)
  await editLines(dataset, 'rates', dearer)
  await take(join(dataset, 'rates.csv'), 40)
  await importPath({ store, clock: () => minutesBefore(38) }, join(dataset, 'queue_log.csv'), {
    dataset: recordDataset('march'),
  })
  await rm(folder, { recursive: true })
  const text = await readFile(new URL('further-rows.yml', import.meta.url), 'utf8')
  const furtherRows: DatasetRows = parse(text, { schema: 'failsafe' })
  await importRows({ store, clock: () => minutesBefore(37) }, furtherRows)
}

/** The countries of rates and destinations. */
const WIDESPREAD = /,(USA|Canada|United Kingdom|France|Lithuania),/

/** CDRs call these countries. */
const REACHED = /,(USA|France),/

/** Returns the new line; `undefined` removes it. */
type Edit = (line: string, place: number) => string | undefined

const keeping =
  (kept: RegExp): Edit =>
  (line) =>
    kept.test(line) ? line : undefined

const withoutEvery =
  (step: number): Edit =>
  (line, place) =>
    place % step > 0 || REACHED.test(line) ? line : undefined

const withWholesaleCustomer: Edit = (line, place) =>
  place === 0 ? `${line}\nWholesale_Customers,10:2026-01-01` : line

const dearer: Edit = (line) => (REACHED.test(line) ? line.replace(',0.0', ',0.1') : line)

async function editLines(folder: string, file: string, edit: Edit): Promise<void> {
  const path = join(folder, `${file}.csv`)
  const [header, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const edited = [header, ...lines.map(edit)].filter((line) => line !== undefined)
  await writeFile(path, `${edited.join('\n')}\n`)
}
