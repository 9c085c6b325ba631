import { expect, test } from 'vitest'
import { aSignedClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { aWorld } from '#test/world.ts'

const logOf = async (client: Awaited<ReturnType<typeof aSignedClient>>) =>
  JSON.stringify((await client.get('/settings')).body['log'])

test('an invoice is credited after a dry run, in part, never for more than is left, and tells its history', async () => {
  const world = await aWorld(estates)
  await world.set({ Invoices_From: '2026-03-01' })
  await world.given({
    users: [{ id: '77', owner_id: '0', username: 'zed', usertype: 'user', password_hash: '0'.repeat(40) }],
    calls: [
      {
        ...{ uniqueid: 'of-zed', calldate: '2026-03-05 12:00:00', src: '1', dst: '37060012345' },
        ...{ disposition: 'ANSWERED', duration: '60', billsec: '60', hangupcause: '16' },
        ...{ user_id: '77', user_price: '10' },
      },
    ],
  })
  world.now = new Date('2026-04-02T12:00:00Z')
  const client = await aSignedClient(world, 'admin')
  const issued = await client.send('POST', '/month/issue', { month: '2026-03', only: 77 })
  expect(issued.status).toBe(200)
  const { body } = await client.get('/documents', { kind: 'invoices', customer: 77 })
  const [invoice] = body['documents'] as { id: number; number: string }[]
  expect(invoice).toMatchObject({ date: '2026-04-02', due: '2026-04-16' })
  const path = `/documents/invoices/${invoice?.id}/credit`
  const credit = (values: Readonly<Record<string, string>>) => client.send('POST', path, values)

  expect(await credit({ amount: '1' })).toMatchObject({
    status: 422,
    body: { error: { message: 'why is missing, expected text.' } },
  })
  expect((await credit({ amount: '0.01', 'dry-run': 'yes' })).body).toMatchObject({
    number: null,
    net: '0.01',
  })
  expect((await credit({ amount: '0.01', why: 'a dropped call' })).body).toMatchObject({ net: '0.01' })
  expect(await credit({ amount: '1000', why: 'more' })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('is left to credit, without VAT.') } },
  })
  expect(await logOf(client)).toContain(`of ${invoice?.number}: a dropped call`)

  const payment = {
    customer: 77,
    amount: '3',
    invoice: `${invoice?.number}`,
    date: '2026-04-02',
    reference: 'TX1',
  }
  expect((await client.send('POST', '/payments', payment)).status).toBe(200)
  const writeOff = `/documents/invoices/${invoice?.id}/write-off`
  expect((await client.send('POST', writeOff, { why: 'gone' })).status).toBe(200)
  const told = (await client.get(`/documents/invoices/${invoice?.id}`)).body
  const [open, left] = [told['invoice'] as { open: string; amountWithVat: string }, told['history']]
  expect(open.open).toBe('0')
  expect(left).toMatchObject([
    { kind: 'invoice', day: '2026-04-02', number: invoice?.number, amount: open.amountWithVat, id: null },
    { kind: 'credit_note', day: '2026-04-02' },
    { kind: 'payment', day: '2026-04-02', number: 'TX1', amount: '3' },
    { kind: 'write_off', day: '2026-04-02' },
  ])
  const [whole, ...parts] = (left as { amount: string }[]).map(({ amount }) => Number(amount))
  expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(whole ?? 0)
})
