import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { BankFileAnswer } from '#lib/api/console/answers/billing.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates, usernameOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld } from '#test/world.ts'

const CSV = [
  'Booking date,Amount,Counterparty,Description',
  '2026-03-02,11.90,Carl,A-2026-1',
  '2026-03-02,3.00,Carl,thank you',
  '2026-03-03,11.90,Carl,A-2026-2',
  '2026-03-03,-5.00,Bank,fee',
].join('\n')

async function aBank(account = 0) {
  const world = await aWorld(
    {
      ...estates,
      invoices: [1, 2].map((id) => ({
        ...{ id: String(id), user_id: '10', number: `A-2026-${id}`, issue_date: '2026-03-01' },
        ...{ price: '10', price_with_vat: '11.9' },
      })),
    },
    { Balance_From: '2026-01-01' },
  )
  const client = await aSignedClient(world, usernameOf(account))
  const send = async (file: Uint8Array | string, values = {}) => {
    const { status, body } = await client.upload('/payments/bank-file', file, values)
    return { status, ...(body as unknown as BankFileAnswer & { error?: { message: string } }) }
  }
  return { world, send }
}

test('a file is previewed, answered and booked as it was agreed, once', async () => {
  const { world, send } = await aBank()
  const before = await world.dump()

  const preview = await send(gzipSync(CSV))
  expect(preview).toMatchObject({
    ...{ status: 200, format: 'CSV', questions: [], booked: 0 },
    counts: { pay: 2, ask: 1, booked: 0, others: 1 },
    rows: [
      { place: 2, amount: '3', isAsked: true, says: 'no invoice and no customer is recognised' },
      { place: 1, isAsked: false, says: expect.stringMatching(/^pays A-2026-1 of .*, by its number$/) },
      { place: 3, isAsked: false },
    ],
  })
  expect(await world.dump()).toEqual(before)
  const answered = await send(CSV, { answers: '2=@10' })
  expect(answered.counts).toMatchObject({ pay: 3, ask: 0 })

  const other = await send(CSV, { answers: '2=@10', step: 'book', agreed: preview.agreed })
  expect([other.status, other.error?.message]).toEqual([
    409,
    'The rows are proposed otherwise than when you agreed: look at them again.',
  ])
  expect(await send(CSV, { answers: '2=@10', step: 'book', agreed: answered.agreed })).toMatchObject({
    ...{ status: 200, booked: 3, left: 0, refused: [] },
  })
  expect((await send(CSV)).counts).toEqual({ pay: 0, ask: 0, booked: 3, others: 1 })
  const log = await listNewestLogEntries(world.store, 5)
  expect(JSON.stringify(log)).toContain('booked 3 rows of a bank file')
  expect(await damageIn(world)).toEqual([])
})

test('a file that cannot be read, or asks, or names what is hidden, is told', async () => {
  const { send } = await aBank()
  expect(await send('When;What\n1;2')).toMatchObject({
    questions: [{ about: 'columns', words: ['When', 'What'] }],
  })
  expect((await send('<a/>')).error?.message).toBe('The file is not CAMT.053: line 1: it has no statement.')
  expect((await send(CSV, { profile: '{"a":1}' })).error?.message).toContain('The profile: a: ')
  expect((await send(CSV, { answers: 'x' })).error?.message).toContain('"x" answers no row')
  const reseller = await aBank(2)
  expect((await reseller.send(CSV)).counts).toMatchObject({ pay: 0, ask: 3 })
  expect((await reseller.send(CSV, { answers: '1=A-2026-1' })).status).toBe(404)
  expect((await reseller.send(CSV, { answers: '1=@10' })).status).toBe(404)
})
