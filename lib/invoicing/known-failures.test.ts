import { expect, test } from 'vitest'
import { dayOf, momentAt } from '#lib/base/calendar.ts'
import { findInvoicesOfNumber, type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import { anArchivedWorld } from '#test/archive/archived-world.ts'
import {
  aBilledWorld,
  aCall,
  admin,
  bill,
  issue,
  person,
  ZONES_OF_TESTS as ZONES,
} from '#test/invoicing/a-month.ts'
import type { World } from '#test/world.ts'
import { periodOfMonth } from './month.ts'

/* Failures that users of other billing systems have reported, by the thread that tells of them. */

const invoicesOf = async ({ store }: World, owner = 0): Promise<Invoice[]> =>
  (await Array.fromAsync(listInvoices(store, { owner }))).flat()

const dateAt = (seconds: number): Date => new Date(seconds * 1000)

test.each(ZONES.flatMap((zone) => ['2026-03', '2026-10'].map((month) => ({ zone, month }))))(
  'in $zone, $month bills the calls of its first and last second, and no other (IvozProvider #462)',
  async ({ zone, month }) => {
    const { from, till } = periodOfMonth(month, zone)
    const world = await aBilledWorld(
      { users: [admin, person(10)] },
      { Balance_From: '2026-01-01', Invoices_From: `${month}-01`, Timezone: zone },
    )
    const local = (seconds: number) => {
      const day = dayOf(seconds, zone)
      const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium' }).format(
        dateAt(seconds),
      )
      expect(momentAt(day, time, zone)).toBe(seconds)
      return `${day} ${time}`
    }
    const prices = new Map([
      [from - 1, '1'],
      [from, '10'],
      [till, '100'],
      [till + 1, '1000'],
    ])
    await world.given({ calls: [...prices].map(([seconds, price]) => aCall(10, local(seconds), price)) })
    world.now = dateAt(till + 1 + 86_400)

    expect((await issue(world, { month })).get(10)).toMatchObject({ document: { net: '110' } })
  },
)

test('a month that is not over in the zone is refused until its last second has passed', async () => {
  const world = await aBilledWorld({ users: [admin, person(10)] }, { Timezone: 'America/New_York' })
  world.now = new Date('2026-06-01T03:59:59Z')
  await expect(issue(world)).rejects.toMatchObject({
    code: 'billed_month_open',
    values: { month: 'May 2026', zone: 'America/New_York' },
  })
  world.now = new Date('2026-06-01T04:00:00Z')
  expect((await issue(world)).get(10)).toEqual({ kind: 'empty' })
})

const line = { id: '1', owner_id: '2', name: 'Line', type: 'periodic_fee', period: 'monthly', price: '12.9' }

test("a reseller's customer pays its fee, due Payment_Days after the issue (ASTPP #338)", async () => {
  const reseller = person(2, { usertype: 'reseller', company_name: 'Northwind', vat_number: 'LT123' })
  const world = await aBilledWorld(
    {
      users: [admin, reseller, person(20, { owner_id: '2', vat_number: 'DE999', company_name: 'Shop' })],
      services: [line],
      subscriptions: [
        { id: '1', user_id: '20', service_id: '1', from: '2026-05-01 00:00:00', quantity: '2' },
      ],
    },
    { Charges_From: '2026-05-01', Payment_Days: '30' },
  )

  await bill(world, { month: '2026-05', owner: 2 }, 'issue')

  const [invoice] = await invoicesOf(world, 2)
  expect(invoice).toMatchObject({ price: '25.8', issue_date: '2026-06-02', due_date: '2026-07-02' })
  // ASTPP #76, #180: the VAT numbers of both are kept with the invoice.
  expect(JSON.parse(invoice?.parties ?? '')).toMatchObject({
    seller: { name: 'Northwind', vat_number: 'LT123' },
    buyer: { name: 'Shop', vat_number: 'DE999' },
  })
})

test('archived days of a month are billed from the archive, with what came after', async () => {
  const world = await anArchivedWorld(
    { users: [admin, person(10)] },
    {
      Calls_Keep_Days: '5',
      Balance_From: '2026-05-01',
      Invoices_From: '2026-05-01',
      Default_Currency: 'EUR',
    },
  )
  world.now = new Date('2026-06-02T08:00:00Z')
  await world.given({
    calls: [aCall(10, '2026-05-03 10:00:00', '2'), aCall(10, '2026-05-30 10:00:00', '3')],
  })
  await world.archive()
  world.now = new Date('2026-06-12T08:00:00Z')
  await world.expire()
  await world.given({ calls: [aCall(10, '2026-05-03 11:00:00', '0.5')] })

  expect((await issue(world)).get(10)).toMatchObject({ document: { number: 'A-2026-1', net: '5.5' } })
  const [invoice] = await findInvoicesOfNumber(world.store, 'A-2026-1')
  expect(invoice?.products).toMatchObject([{ quantity: '3' }])
})
