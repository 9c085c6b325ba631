import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { type ArchiveBucket, folderBucket, s3Bucket } from '#lib/calls/archive/bucket.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { forgotten } from '#test/acts/carry-out.ts'
import { ARCHIVE_BUCKET, aConditionalS3, archiveClient } from '#test/archive/conditional-s3.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { motoIsSkipped, startMoto } from '#test/queue/moto.ts'
import { showInvoice } from '#tools/commands/invoices/show-tool.ts'
import { findDamage } from '#tools/integrity/damage.ts'
import { asInvoice, type DocumentFormat, type FoundDocument } from './rendered.ts'
import { documentKeeper, givenFile, storeFilesOfPastDays } from './stored-files.ts'

const SELLER = {
  ...{ Seller_Name: 'Northwind', Seller_VAT_Number: 'DE123456789', Seller_Address: 'Hafen 1' },
  ...{ Seller_Postcode: '20457', Seller_City: 'Hamburg', Seller_Country: 'DE' },
}

const carol = person(10, {
  ...{ username: 'carol', company_name: 'Dent KG', vat_number: 'DE987654321', itemised: '1', postpaid: '1' },
  ...{ address: 'Weg 1', postcode: '10115', city: 'Berlin' },
})

const folder = () => mkdtempSync(`${tmpdir()}/archive-`)

async function anIssuedMonth(bucket: ArchiveBucket = folderBucket(folder())) {
  const dave = person(11, { username: 'dave', postpaid: '1' })
  const calls = [aCall(10, '2026-05-03 10:00:00', '100'), aCall(11, '2026-05-03 10:00:00', '10')]
  const world = await aBilledWorld({ users: [admin, carol, dave], calls }, SELLER)
  await issue(world)
  const credit = { invoice: 'A-2026-1', why: 'Goodwill', amount: '1' }
  await addCreditNote(world.store, credit, { as: 'u0', now: world.now })
  const [document] = (await Array.fromAsync(listInvoices(world.store, { user: 10 }))).flat()
  const [note] = (await Array.fromAsync(listCreditNotes(world.store, { user: 10 }))).flat()
  if (!document || !note) throw new Error('A document is missing')
  const source = async (over: { readonly bucket?: ArchiveBucket | undefined } = {}) => ({
    ...{ store: world.store, settings: await settingsOf(world.store), now: world.now, bucket },
    ...over,
  })
  const given = async (found: FoundDocument, format: DocumentFormat) => {
    const { pieces, ...file } = await givenFile(await source(), found, format)
    return { ...file, bytes: Buffer.concat(await Array.fromAsync(pieces)).toString('latin1') }
  }
  const damage = async () =>
    (await Array.fromAsync(findDamage(world.store, [await world.dump()], world.now, bucket))).filter(
      (sentence) => sentence.includes('documents/'),
    )
  return {
    ...{ world, bucket, source, given, damage },
    invoice: asInvoice(document),
    note: { kind: 'credit note', document: note } as FoundDocument,
  }
}

const stores: readonly (readonly [string, boolean, () => Promise<ArchiveBucket>])[] = [
  ['a folder', false, async () => folderBucket(folder())],
  ['S3 in this process', false, async () => s3Bucket(ARCHIVE_BUCKET, (await aConditionalS3()).client)],
  ['moto', motoIsSkipped, async () => s3Bucket(ARCHIVE_BUCKET, await archiveClient(await startMoto()))],
]

describe.each(stores)('the files of documents in %s', (_name, skip, openBucket) => {
  test('are stored when they are first given, and these bytes are given from then on', { skip }, async () => {
    const { world, invoice, note, given, damage } = await anIssuedMonth(await openBucket())
    const formats = ['pdf', 'ubl', 'calls'] as const
    const first = await Promise.all(formats.map((format) => given(invoice, format)))
    expect(first.map(({ name }) => name)).toEqual(['A-2026-1.pdf', 'A-2026-1.xml', 'A-2026-1-calls.pdf'])
    const { json, lines } = await showInvoice(world.store, 'A-2026-1')
    expect(json).toMatchObject({
      prints_since: 'issue',
      files: expect.arrayContaining([expect.objectContaining({ format: 'ubl', made: '2026-06-02' })]),
    })
    expect(lines.at(-1)).toMatch(/ of 2026-06-02, SHA-256 [0-9a-f]{64}$/)
    const credited = await given(note, 'pdf')
    expect(credited.bytes.slice(0, 5)).toBe('%PDF-')

    // The data of the files is gone: a later release would print something else.
    const calls = [aCall(10, '2026-05-03 10:00:00', '77', { dst: '4412345678' })]
    await world.given({ calls })
    const changed = {
      ...invoice,
      document: { ...invoice.document, parties: '', price: '1' },
    } as FoundDocument

    expect(await Promise.all(formats.map((format) => given(changed, format)))).toEqual(first)
    expect(await given(note, 'pdf')).toEqual(credited)
    expect(await damage()).toEqual([])
  })
})

test('two that print a document at once give the same bytes', async () => {
  const { invoice, given } = await anIssuedMonth()

  const all = await Promise.all([1, 2, 3].map(() => given(invoice, 'pdf')))

  expect(new Set(all.map(({ bytes }) => bytes)).size).toBe(1)
})

test('a process that does not know the archive gives no file of an issued document', async () => {
  const { invoice, note, source, given } = await anIssuedMonth()
  const nowhere = await source({ bucket: undefined })

  await expect(givenFile(nowhere, invoice, 'pdf')).rejects.toMatchObject({ code: 'document_files_unknown' })
  const imported = { ...invoice, document: { ...invoice.document, month: '' } } as FoundDocument
  expect((await givenFile(nowhere, imported, 'html')).name).toBe('A-2026-1.html')
  await expect(given(note, 'calls')).rejects.toMatchObject({ code: 'no_list_of_calls' })
})

test('check-data names a file that is lost or changed, and a lost file is refused', async () => {
  const path = folder()
  const { invoice, given, damage, bucket } = await anIssuedMonth(folderBucket(path))
  await given(invoice, 'pdf')
  await given(invoice, 'ubl')
  const keys = readdirSync(`${path}/documents/0/2026`).map((name) => `documents/0/2026/${name}`)
  expect(keys.sort()).toMatchObject([
    expect.stringMatching(/2026\/A-2026-1-\d+-pdf-[0-9a-f]{16}\.pdf$/),
    expect.stringMatching(/2026\/A-2026-1-\d+-ubl-[0-9a-f]{16}\.xml$/),
  ])
  const [pdf = '', ubl = ''] = keys

  await bucket.remove(pdf)
  writeFileSync(`${path}/${ubl}`, readFileSync(`${path}/${ubl}`, 'utf8').replace('A-2026-1', 'A-2026-2'))

  expect((await damage()).sort()).toEqual([
    `${pdf}, a file of a document, is missing from the archive.`,
    `${ubl} is not the file that was given: its digest differs.`,
  ])
  await expect(given(invoice, 'pdf')).rejects.toMatchObject({ code: 'document_file_lost' })
})

test('a forgotten customer has a note in place of stored lists, and the invoice as it was', async () => {
  const path = folder()
  const { world, invoice, given, damage, bucket } = await anIssuedMonth(folderBucket(path))
  const [pdf, list] = [await given(invoice, 'pdf'), await given(invoice, 'calls')]
  const forget = () => forgotten(world, 'carol', () => bucket)

  expect(await forget()).toBe(1)
  await forget()

  expect(await given(invoice, 'pdf')).toEqual(pdf)
  const note = await given(invoice, 'calls')
  expect(note.bytes).not.toBe(list.bytes)
  expect(note.bytes.length).toBeLessThan(list.bytes.length)
  expect(readdirSync(`${path}/documents/0/2026`).filter((name) => name.includes('-calls-'))).toHaveLength(1)
  expect(await damage()).toEqual([])
})

test('the hourly run stores what was never printed within a day, once, and costs next to nothing then', async () => {
  const { world, source, bucket, damage } = await anIssuedMonth()
  const run = async () => {
    const meter = createMeter()
    const store = createStore({ ...world.table, meter })
    const done = await storeFilesOfPastDays({ ...(await source()), bucket, store }, () => true)
    return { ...done, ...meter.spent }
  }
  expect(await run()).toMatchObject({ stored: 0 })
  world.now = new Date('2026-06-03T00:10:00Z')

  // Carol has a PDF, UBL and the list of calls, and a credit note in two forms. Dave has no address for UBL.
  expect(await run()).toMatchObject({ stored: 6, problems: [], write: 7 })
  expect(await run()).toMatchObject({ stored: 0, read: 1.5, write: 0 })
  world.now = new Date('2026-06-04T00:10:00Z')
  expect(await run()).toMatchObject({ stored: 0, write: 1 })
  expect(await damage()).toEqual([])
})

test('the function ends with an error that names a document without a file, and stores the others', async () => {
  const { world, bucket } = await anIssuedMonth()
  const isBroken = (key: string) => key.includes('-pdf-') && key.includes('/A-2026-2-')
  const broken: ArchiveBucket = {
    ...bucket,
    write: (key, ...others) =>
      isBroken(key) ? Promise.reject(new Error('no room')) : bucket.write(key, ...others),
  }
  const lines: object[] = []
  const clock = () => new Date('2026-06-03T00:10:00Z')
  const openStore = () => world.store
  const keep = documentKeeper({
    ...{ openStore, clock, bucket: broken },
    log: (line) => lines.push(line),
  })

  await expect(keep({ getRemainingTimeInMillis: () => 900_000 })).rejects.toThrow('A-2026-2, pdf: no room')

  expect(lines).toMatchObject([{ function: 'store_documents', stored: 5 }])
})
