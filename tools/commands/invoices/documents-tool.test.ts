import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import type { Refusal } from '#lib/base/refusal.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { refusedCommand } from '#tools/command-line/remedies.ts'
import { type FilePlace, writeDocument, writeZip } from './documents-tool.ts'

const folder = mkdtempSync(`${tmpdir()}/documents-`)

const carol = {
  username: 'carol',
  company_name: 'Dent & Sons',
  vat_number: 'LT100001738313',
  language: 'de',
  itemised: '1',
}
const rick = person(20, { usertype: 'reseller', username: 'rick', company_name: 'Rick Resells' })
const settings = { Seller_Name: 'Northwind', Seller_VAT_Number: 'DE123456789' }
const calls = [aCall(10, '2026-05-03 10:00:00', '12.5'), aCall(21, '2026-05-04 10:00:00', '3')]

async function anIssuedMonth() {
  const users = [admin, person(10, carol), rick, person(21, { owner_id: '20', username: 'dave' })]
  const world = await aBilledWorld({ users, calls }, settings)
  await issue(world)
  await issue(world, { owner_id: 20 })
  return { ...world, place: placeOf(world) }
}

const placeOf = ({ store, now }: Pick<FilePlace, 'store' | 'now'>): FilePlace => ({
  ...{ store, now },
  bucket: folderBucket(mkdtempSync(`${tmpdir()}/archive-`)),
})

const show = { customer: 'carol' } as const

test('an invoice is a page in the language of the customer, and the list of its calls another', async () => {
  const { place } = await anIssuedMonth()
  const output = `${folder}/one.html`

  await writeDocument(place, { ...show, number: 'a-2026-1', format: 'html', output })

  const page = readFileSync(output, 'utf8')
  expect(page).toMatch(/Rechnung A-2026-1[\s\S]*Northwind[\s\S]*Dent &amp; Sons[\s\S]*LT100001738313/)
  expect(page).not.toContain('4915123456')
  const list = `${folder}/one-calls.pdf`
  await writeDocument(place, { ...show, number: 'a-2026-1', format: 'calls', output: list })
  expect(readFileSync(list, 'latin1')).toMatch(/^%PDF-[\s\S]*\/Title/)
  await expect(writeDocument(place, { ...show, number: 'a-2026-1', format: 'html', output })).rejects.toThrow(
    `${output} exists: name another file`,
  )
})

test('a document with characters that the font of PDFs lacks is a page to print, never boxes', async () => {
  const dent = person(10, { ...carol, company_name: '株式会社 Dent\u200e' })
  const world = await aBilledWorld({ users: [admin, dent], calls: calls.slice(0, 1) }, settings)
  await issue(world)
  const place = placeOf(world)
  const output = `${folder}/boxes.pdf`
  const zip = `${folder}/boxes.zip`
  const wanted = { ...show, number: 'A-2026-1', format: 'pdf', output } as const

  await expect(writeDocument(place, wanted)).rejects.toThrow(
    'A-2026-1 cannot be a PDF: its font lacks 株 式 会 社 U+200E. Pass --html for a page to print',
  )
  expect(existsSync(output)).toBe(false)
  expect(await writeZip(place, { month: '2026-05', format: 'pdf', scope: { owner: 0 }, zip })).toEqual({
    written: 1,
    pages: ['A-2026-1.html', 'A-2026-1-calls.html'],
  })
  expect(Buffer.from(unzipSync(readFileSync(zip))['A-2026-1.html'] ?? []).toString()).toContain('株式会社')
})

test('what UBL lacks is one sentence, and leaves no file', async () => {
  const { place } = await anIssuedMonth()
  const output = `${folder}/dave.xml`
  const wanted = { ...show, number: 'A-2026-1', format: 'ubl', output } as const

  const refusal = await writeDocument(place, { ...wanted, customer: 'dave' }).catch((error: unknown) => error)
  expect(refusedCommand(refusal as Refusal).message).toMatch(
    /^A-2026-1 cannot be UBL: it lacks the country of the seller: .*; the country of the buyer: set taxation_country of dave/,
  )
  expect(refusal).toMatchObject({
    code: 'unfit_e_invoice',
    values: {
      ...{ number: 'A-2026-1', form: 'UBL' },
      lacks: [
        expect.stringContaining('the country of the seller: '),
        expect.stringContaining('the country of the buyer: set taxation_country of dave'),
        expect.stringContaining('a number of the seller: '),
      ],
    },
  })
  await writeDocument(place, wanted)
  expect(readFileSync(output, 'utf8')).toContain('<cbc:ID>A-2026-1</cbc:ID>')
  await expect(writeDocument(place, { ...wanted, number: 'X-1', output: `${folder}/x.xml` })).rejects.toThrow(
    /^There is no invoice or credit note X-1/,
  )
})

test('a month is a zip with its invoices and credit notes; a reseller has documents of its own', async () => {
  const { place, ...world } = await anIssuedMonth()
  const credit = { invoice: 'A-2026-1', customer: 'carol', why: 'Wrong tariff' }
  await addCreditNote(world.store, credit, { as: 'u0', now: world.now })
  const zip = `${folder}/month.zip`
  const wanted = { month: '2026-05', format: 'pdf' } as const

  expect(await writeZip(place, { ...wanted, scope: { owner: 0 }, zip })).toEqual({
    written: 2,
    pages: [],
  })
  const files = unzipSync(readFileSync(zip))
  expect(Object.keys(files)).toEqual(['A-2026-1.pdf', 'A-2026-1-calls.pdf', 'C-2026-1.pdf'])
  expect(Buffer.from(files['C-2026-1.pdf'] ?? []).toString('latin1', 0, 5)).toBe('%PDF-')

  const other = `${folder}/rick.zip`
  await writeZip(place, { ...wanted, format: 'html', scope: { owner: 20 }, zip: other })
  const page = Buffer.from(unzipSync(readFileSync(other))['A-2026-1.html'] ?? []).toString()
  expect(page).toContain('Rick Resells')
  expect(page).not.toContain('Northwind')
  await expect(
    writeZip(place, { ...wanted, month: '2026-04', scope: { owner: 0 }, zip: `${folder}/none.zip` }),
  ).rejects.toThrow('No documents of 2026-04: npx tollgate invoices issue --month 2026-04')

  const own = `${folder}/own.zip`
  await world.given({ users: [{ id: '10', document_format: 'html' }] })
  await writeZip(place, { ...wanted, format: undefined, scope: { owner: 0 }, zip: own })
  expect(Object.keys(unzipSync(readFileSync(own)))).toEqual(['A-2026-1.html', 'C-2026-1.html'])
})
