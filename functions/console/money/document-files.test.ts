import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findInvoicesOfNumber } from '#lib/billing/invoice.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { passwordOf } from '#test/examples/estates.ts'
import { aBilledWorld, aCall, issue, person } from '#test/invoicing/a-month.ts'

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
