import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { passwordOf } from '#test/examples/estates.ts'
import { aBilledWorld, aCall, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'

const password_hash = createHash('sha1').update(passwordOf('u0')).digest('hex')

const admin = person(0, { usertype: 'admin', password_hash })

const { ARCHIVE_BUCKET: before } = process.env

beforeEach(() => {
  process.env['ARCHIVE_BUCKET'] = mkdtempSync(`${tmpdir()}/archive-`)
})

afterEach(() => {
  if (before === undefined) delete process.env['ARCHIVE_BUCKET']
  else process.env['ARCHIVE_BUCKET'] = before
})

test('a document is given with the same bytes again, and its list of calls as a file of its own', async () => {
  const users = [admin, person(10, { username: 'carol', itemised: '1' })]
  const world = await aBilledWorld({ users, calls: [aCall(10, '2026-05-03 10:00:00', '100')] })
  await issue(world)
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-1')
  const client = await aSignedClient(world, 'u0')
  const file = (format: string) => client.get(`/document-files/invoices/${invoice?.id}`, { format })

  const first = await file('pdf')
  expect(first).toMatchObject({ status: 200, body: { name: 'A-2026-1.pdf', calls: true } })
  expect(await file('calls')).toMatchObject({ status: 200, body: { name: 'A-2026-1-calls.pdf' } })
  await world.given({ users: [admin, person(10, { username: 'other' })] })

  expect(await file('pdf')).toEqual(first)
  expect(await file('ubl')).toMatchObject({
    status: 409,
    body: { error: { reason: 'unfit_e_invoice' } },
  })
})

test('an invoice to an unknown country is no UBL: the refusal names the field, which counts for the next one', async () => {
  const carol = person(10, { username: 'carol', company_name: 'Dent KG' })
  const calls = [aCall(10, '2026-05-03 10:00:00', '100')]
  const seller = { Seller_Name: 'Northwind', Seller_VAT_Number: 'DE123456789' }
  const world = await aBilledWorld({ users: [admin, carol], calls }, seller)
  await issue(world)
  const client = await aSignedClient(world, 'u0')
  const ubl = async (number: string) => {
    const [invoice] = await findInvoicesOfNumber(world.store, number)
    return client.get(`/document-files/invoices/${invoice?.id}`, { format: 'ubl' })
  }
  const refused = {
    status: 409,
    body: {
      error: {
        message:
          'A-2026-1 cannot be UBL: it lacks the country of the buyer: set taxation_country of carol to a code such as DE. ' +
          'It keeps the facts of its issue: what is set now counts for documents that are issued later.',
      },
    },
  }
  expect(await ubl('A-2026-1')).toMatchObject(refused)

  await world.given({ users: [admin, { ...carol, taxation_country: 'AT' }] })
  expect(await ubl('A-2026-1')).toMatchObject(refused)
  await addCreditNote(world.store, { invoice: 'A-2026-1', why: 'Country' }, { as: 'u0', now: world.now })
  await issue(world)

  const { status, body } = await ubl('A-2026-2')
  expect(status).toBe(200)
  expect(Object.keys(body)).toContain('name')
})

test('the sample has what is stored, and in its place what is typed, also where it was emptied', async () => {
  const seller = { Seller_Name: 'Northwind', Seller_City: 'Berlin', Seller_Bank: 'Bank 42' }
  const client = await aSignedClient(await aBilledWorld({ users: [admin] }, seller), 'u0')
  const sample = async (typed = {}) => {
    const page = String((await client.get('/document-files/sample', typed)).body['page'])
    return page.match(/Northwind|Typed|Berlin/g)
  }

  expect(await sample()).toEqual(['Northwind', 'Berlin'])
  expect(await sample({ Seller_Name: 'Typed', Seller_City: ' ' })).toEqual(['Typed'])
})

test('the net, the VAT and the total of an imported invoice of more decimals than its currency has add up as printed', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)] })
  const invoice = { number: 'R-7', issue_date: '2026-05-01', status: 'unpaid', currency: 'EUR' }
  await world.given({
    invoices: [{ ...invoice, id: '5', user_id: '10', price: '116.315', price_with_vat: '140.74115' }],
  })
  const client = await aSignedClient(world, 'u0')

  expect((await client.get('/documents/invoices/5')).body).toMatchObject({ vat: '24.42' })
  const { content } = (await client.get('/document-files/invoices/5', { format: 'html' })).body
  const page = Buffer.from(String(content), 'base64').toString()
  expect(page.match(/[\d.]+(?= EUR)/g)).toEqual(['116.32', '24.42', '140.74'])
})
