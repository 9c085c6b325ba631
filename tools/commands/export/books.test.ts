import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { storeFilesOfPastDays } from '#lib/invoicing/documents/stored-files.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { journalFile } from '#lib/invoicing/journal/journal-file.ts'
import { numberEveryone } from '#lib/invoicing/journal/number-entries.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aHistory, playStep } from '#test/invoicing/history.ts'
import { type BillingStep, histories } from '#test/invoicing/history-steps.ts'
import { damageIn } from '#test/soundness.ts'
import { runs } from '#test/sweep.ts'
import { aWorld, type World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { filesBesideBooks, importBooks } from './books.ts'
import { exportDataset } from './export-table.ts'

const folder = (name: string) => mkdtempSync(`${tmpdir()}/${name}-`)

const ACCOUNTS = [2, 10, 11, 12, 20]

interface Installed {
  readonly world: World
  /** The folder of its archive. */
  readonly archive: string
}

async function exportOf({ world, archive }: Installed): Promise<string> {
  const path = join(folder('export'), 'everything')
  const booksFrom = () => folderBucket(archive)
  const wanted = { folder: path, files: fileNames, withSecrets: true, booksFrom, warn: expect.fail }
  await exportDataset(world.store, [await world.dump()] as never, wanted)
  return path
}

/** The files of an export, whose rows come in any order. */
const contentOf = (path: string) =>
  Object.fromEntries(
    readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => [file.slice(path.length), readFileSync(file, 'latin1').split('\n').sort()]),
  )

async function importInto({ world, archive }: Installed, path: string) {
  const clock = () => world.now
  const reports = await importPath({ store: world.store, clock }, path, filesBesideBooks(path))
  expect(reports.flatMap(({ refused }) => [...refused.values()])).toEqual([])
  return importBooks(world.store, path, () => folderBucket(archive))
}

/** What customers owe, and what the journal says of each month. */
async function figuresIn({ store, now }: World) {
  const settings = await settingsOf(store)
  const figures = await Promise.all(ACCOUNTS.map((id) => findFigures(store, settings, id)))
  const months = [0, 2].flatMap((seller) => [5, 6, 7, 8, 9, 10, 11, 12].map((month) => ({ seller, month })))
  const journal = await Promise.all(
    months.map(async ({ seller, month }) => {
      const wanted = { seller, month: `2026-${String(month).padStart(2, '0')}`, format: 'csv', now } as const
      return (await Array.fromAsync(journalFile({ store, settings }, wanted))).join('')
    }),
  )
  return { figures, journal }
}

async function movesWhole(steps: readonly BillingStep[]): Promise<void> {
  const history = await aHistory()
  for (const step of steps) await playStep(history, step)
  const { world } = history
  // The settings of a test name this currency without a row.
  await world.given({ currencies: [{ name: 'EUR', exchange_rate: '1' }] })
  const act = { as: 'u0', now: world.now }
  await carryOutAs(world.store, recordActs('accounts').change, act, { id: 'u12', vat_percent: '8' })
  const first = { world, archive: folder('archive') }
  const source = {
    store: world.store,
    settings: await settingsOf(world.store),
    bucket: folderBucket(first.archive),
  }
  world.now = new Date(world.now.getTime() + 2 * 86_400_000)
  await storeFilesOfPastDays({ ...source, now: world.now }, () => true)
  await numberEveryone(source)
  await carryOutAs(world.store, closeMonth, { ...act, now: world.now }, { month: '2026-05' })
  const last = history.payments.at(-1)
  if (last !== undefined) await playStep(history, { step: 'takeBack', which: history.payments.length - 1 })
  const path = await exportOf(first)

  const second = { world: await aWorld(), archive: folder('archive') }
  second.world.now = world.now
  expect(await importInto(second, path)).toMatchObject({ unchanged: 0, refused: [] })

  expect(contentOf(await exportOf(second))).toEqual(contentOf(path))
  expect(await damageIn({ ...second.world, bucket: folderBucket(second.archive) })).toEqual([])
  expect(await importInto(second, path)).toMatchObject({ added: 0, refused: [] })
  expect(await figuresIn(second.world)).toEqual(await figuresIn(world))
}

test('an export into an empty table owes, posts, bills and prints the same', {
  timeout: 120_000,
}, async () => {
  await fc.assert(fc.asyncProperty(histories(24), movesWhole), { numRuns: runs(2, 20), endOnFailure: true })
})
