import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { assignPayment } from '#lib/billing/payments/assign-payment.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { takeBackPayment } from '#lib/billing/payments/take-back-payment.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { fileNames } from '#lib/dataset/import/files.ts'
import { importPath } from '#lib/dataset/import/folder.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { storeFilesOfPastDays } from '#lib/invoicing/documents/stored-files.ts'
import { closeMonth } from '#lib/invoicing/journal/close-month.ts'
import { journalFile } from '#lib/invoicing/journal/journal-file.ts'
import { numberEveryone } from '#lib/invoicing/journal/number-entries.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
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
  const act = { as: undefined, now: world.now }
  return (
    await carryOutAs(
      world.store,
      importBooks(path, () => folderBucket(archive)),
      act,
      {},
    )
  ).answer
}

/** The debts of customers, and the journal of each month. */
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

/** Two sellers, a currency without cents and a minimum: May is issued, paid, credited and issued again, and June. */
async function anInstallationWithBooks(): Promise<World> {
  const world = await aBilledWorld(
    {
      users: [
        admin,
        person(2, { usertype: 'reseller', vat_percent: '19', company_name: 'North\u2028wind' }),
        person(10, { minimal_month: '5', minimal_from: '2026-05-01' }),
        person(11, { postpaid: '0' }),
        person(12, { currency: 'JPY', vat_percent: '10' }),
        person(20, { owner_id: '2', vat_percent: '7.7' }),
      ],
      currencies: [
        { name: 'EUR', exchange_rate: '1' },
        { name: 'JPY', exchange_rate: '163.27' },
      ],
      services: [
        { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '10' },
      ],
      subscriptions: [{ id: '1', user_id: '10', service_id: '1', from: '2026-05-11 00:00:00' }],
      calls: ACCOUNTS.flatMap((id) =>
        ['2026-05-03', '2026-06-04'].map((day) =>
          aCall(id, `${day} 10:00:00`, `${id}.1234`, id === 20 ? { reseller_price: '3.21' } : {}),
        ),
      ),
    },
    { Charges_From: '2026-05-01' },
  )
  const issued = new Map<number, string>()
  const issue = async (month: string) => {
    for (const owner of [0, 2])
      for (const { account, number } of await bill(world, { month, owner }, 'issue'))
        if (number !== undefined) issued.set(account.id, number)
  }
  const act = (owner = 0) => ({ as: `u${owner}`, now: world.now })
  const credit = (id: number, credited: object) =>
    addCreditNote(
      world.store,
      { invoice: issued.get(id) ?? '', customer: `u${id}`, why: 'Goodwill', ...credited },
      act(),
    )

  await issue('2026-05')
  await pay(world, 20, '100', { invoice: issued.get(20) ?? '' }, 'u2')
  await pay(world, 12, '2000', { invoice: issued.get(12) ?? '', currency: 'JPY' })
  const later = await pay(world, 10, '9.99')
  await carryOutAs(world.store, assignPayment, act(), { payment: later, invoices: issued.get(10) ?? '' })
  await credit(2, {})
  await credit(10, { amount: '1.5' })
  await credit(12, { rows: '1' })
  world.now = new Date('2026-07-02T08:00:00Z')
  await issue('2026-05')
  await issue('2026-06')
  return world
}

/** Returns the payment's id. */
async function pay(world: World, customer: number, amount: string, more = {}, as = 'u0'): Promise<string> {
  const given = { customer: String(customer), amount, type: 'bank', ...more }
  const { answer } = await carryOutAs(world.store, recordPayment, { as, now: world.now }, given)
  return String(answer.id)
}

test('an export into an empty table owes, posts, bills and prints the same', {
  timeout: 120_000,
}, async () => {
  const world = await anInstallationWithBooks()
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
  const payment = await pay(world, 11, '7')
  await carryOutAs(world.store, takeBackPayment, { ...act, now: world.now }, { payment, why: 'Returned' })
  const path = await exportOf(first)

  const second = { world: await aWorld(), archive: folder('archive') }
  second.world.now = world.now
  expect(await importInto(second, path)).toMatchObject({ unchanged: 0, refused: [] })

  expect(contentOf(await exportOf(second))).toEqual(contentOf(path))
  expect(await damageIn({ ...second.world, bucket: folderBucket(second.archive) })).toEqual([])
  expect(await importInto(second, path)).toMatchObject({ added: 0, refused: [] })
  const imported = { action: expect.stringMatching(/^imported the books of .*: \d+ new, 0 refused$/) }
  const logged = (await listAuditLog(second.world.store)).filter((entry) => 'action' in entry)
  expect(logged).toMatchObject([imported])
  expect(await figuresIn(second.world)).toEqual(await figuresIn(world))
})
