import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { type DumpedItem, unpackedItem } from '#test/dump.ts'
import { aWorld, type World } from '#test/world.ts'
import { everyItem } from '#tools/command-line/open-table.ts'
import { type ExportOptions, exportDataset } from '#tools/commands/export/export-table.ts'

export const aFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'export-'))

/** Exports everything, secrets included, unless the options say otherwise. */
export async function exportOf(
  world: Pick<World, 'store' | 'table' | 'meter'>,
  options: Partial<ExportOptions> = {},
) {
  const folder = options.folder ?? (await aFolder())
  const said: string[] = []
  const pages = everyItem({ ...world.table, meter: world.meter })
  const wanted = { files: fileNames, withSecrets: true, warn: (sentence: string) => said.push(sentence) }
  const files = await exportDataset(world.store, pages, { ...wanted, ...options, folder })
  return { folder, files, said }
}

/** An installation that holds what was exported, of which nothing may be refused. */
export async function importOf(folder: string): Promise<World> {
  const world = await aWorld()
  const reports = await importPath({ store: world.store, clock: () => world.now }, folder)
  expect(reports.flatMap(({ file, refused }) => [...refused].map((reason) => [file, ...reason]))).toEqual([])
  return world
}

/** Items that describe how the data came. The journal is in the books, and rows without them post nothing. */
const HISTORY = /^(DATASET#|UNPOSTED#|ID#|EXTFREE|STATS#|SETTINGS LOG|\S+ SWITCH#|\S+ VERSION#)/
const HISTORY_OF_AN_ITEM = new Set([
  'posted_on',
  'digest',
  'version',
  'versions',
  'active',
  'last_version',
  'leftovers',
])

/** The content of an installation, independent of the way it came. */
export function product(dump: readonly DumpedItem[]): unknown[] {
  const active = new Map(dump.map((item) => [item.PK, item['active']]))
  return dump
    .filter(({ PK, SK }) => !HISTORY.test(`${PK} ${SK}`))
    .flatMap((item) => {
      const [, list = '', version] = /^(RATES#\d+|DESTINATIONS)#(\d+)$/.exec(item.PK) ?? []
      const header = list.replace('RATES', 'TARIFF').replace('DESTINATIONS', 'DIRECTORY')
      if (list !== '' && active.get(header) !== Number(version)) return []
      return [withoutHistory(list === '' ? unpackedItem(item) : { ...item, PK: list })]
    })
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

const withoutHistory = (item: DumpedItem): object =>
  Object.fromEntries(
    Object.entries(item)
      .filter(([name]) => !HISTORY_OF_AN_ITEM.has(name) && !/digest/.test(name))
      .sort(),
  )
