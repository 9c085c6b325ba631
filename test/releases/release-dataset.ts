import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importPath } from '#lib/dataset/import/folder.ts'
import { importRows } from '#lib/dataset/import/import.ts'
import { recordDataset } from '#lib/ingest/doors.ts'
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
  await importRows({ store, clock: () => minutesBefore(37) }, FURTHER_ROWS)
}

const SHA1_OF_GRANITE = createHash('sha1').update('granite').digest('hex')

/** Rows with the columns that the demo leaves blank. */
const FURTHER_ROWS = {
  users: [
    {
      ...{
        id: '50',
        username: 'granite',
        usertype: 'reseller',
        owner_id: '0',
        password_hash: SHA1_OF_GRANITE,
      },
      ...{ uniquehash: 'fictional-uniquehash-of-granite', email: 'Office@granite.example' },
      ...{ company_name: 'Granite Telecom', phone: '441632960050', mob_phone: '447700900050' },
      ...{ fax: '441632960051', country_id: '80', state: 'Cornwall', county: 'Penwith', city: 'Penzance' },
      ...{ postcode: 'TR18 2AB', address: '1 Quarry Lane', vat_number: 'GB123', vat_percent: '20' },
      ...{ taxation_country: '80', agreement_date: '2026-01-31', daily_balance_limit: '50', hidden: '1' },
      ...{ comment: 'Pays late', default_tariff_id: '4', default_credit: '10', default_postpaid: '0' },
      ...{ balance: '12.5', credit: '100', postpaid: '0' },
    },
  ],
  adjustments: [
    {
      id: '1',
      user_id: '10',
      date: '2026-03-10 12:00:00Z',
      amount: '-1.5',
      who: 'ada',
      why: 'A fee of the bank',
    },
  ],
  providers: [{ id: '3', name: 'Severn Carrier', tariff_id: '4' }],
  devices: [
    {
      id: '9',
      user_id: '10',
      device_type: 'SIP',
      name: 'porch',
      secret: 'carolPorch2009',
      fromuser: 'porch',
      comment: 'By the door',
      portal_password: 'porch-portal',
      portal_last_login_ip: '198.51.100.9',
    },
  ],
  location_rules: [{ id: '11', location_id: '1', name: 'From the north', src_cut: '44', tariff_id: '1' }],
  invoices: [
    {
      id: '20',
      user_id: '30',
      number: 'A-1030-9',
      issue_date: '2026-02-28',
      status: 'paid',
      currency: 'USD',
      price: '10',
      price_with_vat: '12.1',
      period_from: '2026-02-01',
      period_till: '2026-02-28',
    },
  ],
  calls: [
    {
      uniqueid: 'demo-to-dave',
      calldate: '2026-03-10 10:00:00',
      src: '2010',
      dst: '2012',
      hangupcause: '16',
      duration: '40',
      billsec: '30',
      user_id: '10',
      device_id: '10',
      dst_user_id: '11',
      dst_device_id: '12',
    },
  ],
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

const dearer: Edit = (line) => (REACHED.test(line) ? line.replace(',0.0', ',0.1') : line)

async function editLines(folder: string, file: string, edit: Edit): Promise<void> {
  const path = join(folder, `${file}.csv`)
  const [header, ...lines] = (await readFile(path, 'utf8')).trimEnd().split('\n')
  const edited = [header, ...lines.map(edit)].filter((line) => line !== undefined)
  await writeFile(path, `${edited.join('\n')}\n`)
}
