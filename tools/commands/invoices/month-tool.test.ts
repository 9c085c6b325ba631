import { expect, test } from 'vitest'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import type { Store } from '#lib/table/store.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { aBilledWorld, aCall, admin, person } from '#test/invoicing/a-month.ts'
import { method as invoicesGet } from '../../../functions/billing/invoices_get.ts'
import { billWanted, monthJson, monthLines, monthSummary } from './month-tool.ts'
import { invoicesListing, showInvoice } from './show-tool.ts'

const rick = person(2, { usertype: 'reseller', username: 'rick' })

const aMonthOfThree = () =>
  aBilledWorld({
    users: [admin, rick, person(10), person(20, { owner_id: '2' })],
    calls: [
      aCall(10, '2026-05-03 10:00:00', '1.005'),
      aCall(20, '2026-05-04 10:00:00', '3', { reseller_price: '2' }),
      aCall(2, '2026-05-05 10:00:00', '0.5', { dst: '441' }),
    ],
  })

/** The hash of `password`. */
const password_hash = '5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8'

const month = { month: '2026-05' }

test('a month is previewed and issued to the customers of admin, and by a reseller to its own', async () => {
  const world = await aMonthOfThree()
  const act = { as: 'u0', now: world.now }
  const steps: number[] = []

  const previewed = await billWanted(world.store, month, { ...act, what: 'preview' })
  const issued = await billWanted(world.store, month, { ...act, what: 'issue' }, (done) => steps.push(done))
  const own = await billWanted(world.store, { ...month, seller: 'rick' }, { ...act, what: 'issue' })

  expect(previewed.map(monthJson)).toEqual(
    issued.map((row) => ({ ...monthJson(row), outcome: 'open', number: null })),
  )
  expect(issued.map(monthJson)).toMatchObject([
    {
      customer: 'rick',
      number: 'A-2026-1',
      net: '2.50',
      vat: '0.53',
      gross: '3.03',
      rows: [
        { name: 'United Kingdom', sum: '0.50' },
        { name: 'Calls of customers: Germany mobile', sum: '2.00' },
      ],
    },
    { customer: 'u10', number: 'A-2026-2', net: '1.01', vat: '0.21', gross: '1.22', currency: 'EUR' },
  ])
  expect(own.map(monthJson)).toMatchObject([{ customer: 'u20', number: 'A-2026-1', net: '3.00' }])
  expect(steps).toEqual([1, 2])
  expect(own.flatMap((row) => monthLines(row, true))).toEqual([
    'u20: A-2026-1: net 3.00, VAT 0.63, gross 3.63 EUR',
    '  Germany mobile: 3.00',
  ])
  expect(monthSummary(issued)).toBe('2 customers: 2 issued')
})

test('a killed run leaves an audit log entry, and one that issues nothing leaves none', async () => {
  const world = await aMonthOfThree()
  const act = { as: 'u0', now: world.now, what: 'issue' } as const
  const actions = async () =>
    (await listAuditLog(world.store)).map((entry) => 'action' in entry && [entry.who, entry.action])
  const killAfter = (issues: number) =>
    new Promise((killed) => {
      let left = issues
      const transact: Store['transact'] = (changes) => {
        if (changes.length > 1) left -= 1
        if (left >= 0) return world.store.transact(changes)
        killed('in the middle of a transaction')
        return new Promise(() => {})
      }
      void billWanted({ ...world.store, transact }, month, act)
    })

  await killAfter(1)
  expect(await actions()).toEqual([['u0', 'issued 0 or more documents of 2026-05 (interrupted)']])
  world.now = new Date(world.now.getTime() + 1000)
  await billWanted(world.store, month, { ...act, now: world.now })
  await billWanted(world.store, month, { ...act, now: world.now })
  expect(await actions()).toEqual([
    ['u0', 'issued 0 or more documents of 2026-05 (interrupted)'],
    ['u0', 'issued 1 document of 2026-05'],
  ])
})

test('a month that gives back more than it bills shows the same rows after its credit note', async () => {
  const world = await aBilledWorld(
    { users: [{ ...admin, password_hash }, person(10)], calls: [aCall(10, '2026-05-03 10:00:00', '3')] },
    { Correct_Invoiced_Days: 'on' },
  )
  await billWanted(world.store, month, { as: 'u0', now: world.now, what: 'issue' })
  await world.given({ calls: [aCall(10, '2026-05-03 10:00:00', '1')] })
  world.now = new Date('2026-07-02T08:00:00Z')
  const client = aConsoleClient(world)
  await client.signIn('u0', 'password')
  const june = { month: '2026-06' }
  const credits = { calls: '0.00', fees: '0.00', credits: '-2.00', net: '-2.00', gross: '-2.42' }

  expect((await client.get('/month', june)).body).toMatchObject({
    customers: [{ outcome: 'open', ...credits }],
  })
  const [issued] = await billWanted(world.store, june, { as: 'u0', now: world.now, what: 'issue' })
  const [done] = await billWanted(world.store, june, { as: 'u0', now: world.now, what: 'issue' })

  expect(done && monthJson(done)).toEqual({ ...(issued && monthJson(issued)), outcome: 'done' })
  expect((await client.get('/month', june)).body).toMatchObject({
    customers: [{ outcome: 'done', ...credits }],
  })
})

test('an invoice is listed and shown, and invoices_get shows it as an imported one', async () => {
  const world = await aMonthOfThree()
  await billWanted(world.store, { ...month, customer: 'u10' }, { as: 'u0', now: world.now, what: 'issue' })

  const { rows } = await invoicesListing(world.store, { owner: 0 })
  expect(await Array.fromAsync(rows)).toEqual([
    {
      number: 'A-2026-1',
      customer: 'u10',
      issued: '2026-06-02',
      due: '2026-06-16',
      net: '1.01',
      vat: '0.21',
      gross: '1.22',
      open: '1.22',
      currency: 'EUR',
      status: 'unpaid',
    },
  ])
  expect((await showInvoice(world.store, 'a-2026-1')).lines).toEqual([
    'A-2026-1 of u10, issued on 2026-06-02, due on 2026-06-16: unpaid',
    'period: 2026-05-01 to 2026-05-31',
    '1. Germany mobile (1): 1.01',
    'net 1.01, VAT 0.21, gross 1.22 EUR, open 1.22',
  ])
  expect(await world.call(invoicesGet, 'u10')).toContain(
    'number="A-2026-1"><paid>0</paid><Product><Name>Germany mobile</Name><Quantity>1</Quantity><Price>1.0100</Price>' +
      '<Discount>0.0000</Discount><Sum>1.0100</Sum><Date_added/><Issue_date>2026-06-02</Issue_date><Time>00:01:00</Time>' +
      '<Service_id/><Prefix>4915</Prefix></Product><Total_time>00:01:00</Total_time></Invoice>',
  )
})

test('the VAT of an imported invoice lies between its printed net and total', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)] })
  const invoice = { id: '5', user_id: '10', number: 'R-7', issue_date: '2026-05-01', status: 'unpaid' }
  await world.given({ invoices: [{ ...invoice, price: '116.315', price_with_vat: '140.74115' }] })

  expect((await showInvoice(world.store, 'R-7')).lines.at(-1)).toBe(
    'net 116.32, VAT 24.42, gross 140.74 EUR, open 140.74',
  )
})

test("a reseller's customer is named with its seller, and a running month is refused", async () => {
  const world = await aMonthOfThree()
  const act = { as: 'u0', now: world.now, what: 'preview' } as const

  await expect(billWanted(world.store, { ...month, customer: 'u20' }, act)).rejects.toMatchObject({
    ...{ code: 'billed_by_other', values: { username: 'u20', owner: 'rick' } },
  })
  await expect(billWanted(world.store, { month: '2026-06' }, act)).rejects.toMatchObject({
    code: 'billed_month_open',
  })
  await expect(billWanted(world.store, { month: '2026-04' }, act)).rejects.toMatchObject({
    code: 'before_billing_start',
  })
})

test('the terminal and the page name, before the month is issued, whose document lacks which fact of its form', async () => {
  const complete = { taxation_country: 'DE', electronic_address: '0088:7300010000001', order_number: 'PO-1' }
  const world = await aBilledWorld({
    users: [
      { ...admin, password_hash },
      person(10, { document_format: 'peppol', company_name: 'Dent', taxation_country: 'DE' }),
      person(11, { document_format: 'peppol', company_name: 'Prefect', ...complete }),
      person(12, { document_format: 'factur-x', company_name: 'Trillian' }),
      person(13),
    ],
    calls: [10, 11, 12, 13].map((id) => aCall(id, '2026-05-03 10:00:00', '1')),
  })
  await world.set({ Seller_Name: 'Acme', Seller_VAT_Number: 'ATU12345678' })
  const client = aConsoleClient(world)
  await client.signIn('u0', 'password')
  const preview = async () =>
    (await billWanted(world.store, month, { as: 'u0', now: world.now, what: 'preview' })).map(monthJson)
  const told = async () => {
    const { customers } = (await client.get('/month/unbilled')).body as {
      customers: { customer: { id: number }; unfit: string | null }[]
    }
    return customers.map(({ customer, unfit }) => [`u${customer.id}`, unfit])
  }
  const SELLER = /the electronic address in Peppol, .* of the seller: set Seller_Electronic_Address/

  const previewed = await preview()
  expect(previewed.map(({ customer, outcome, unfit }) => [customer, outcome, unfit])).toEqual([
    [
      'u10',
      'open',
      expect.stringMatching(/cannot be a Peppol invoice: .*set electronic_address of u10; .*of u10$/),
    ],
    ['u11', 'open', expect.stringMatching(SELLER)],
    [
      'u12',
      'open',
      expect.stringMatching(/^The invoices of u12 .*CII: they lack .*set taxation_country of u12/),
    ],
    ['u13', 'open', null],
  ])
  // No customer here has a tariff, so the page lists all.
  expect(await told()).toEqual(previewed.map(({ customer, unfit }) => [customer, unfit]))

  await world.set({ Seller_Electronic_Address: '0088:7300010000001' })
  expect((await preview()).map(({ unfit }) => unfit === null)).toEqual([false, true, false, true])
  expect((await told()).map(([, unfit]) => unfit === null)).toEqual([false, true, false, true])
  const [shown] = await billWanted(
    world.store,
    { ...month, customer: 'u12' },
    { as: 'u0', now: world.now, what: 'preview' },
  )
  expect(shown && monthLines(shown, false)[1]).toMatch(/^ {2}The invoices of u12 cannot be an invoice in CII/)
})
