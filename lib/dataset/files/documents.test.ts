import { beforeAll, expect, test } from 'vitest'
import { adjustmentColumns, adjustments } from '#lib/billing/adjustment.ts'
import { chargeColumns, listCharges } from '#lib/billing/charges/charge.ts'
import { creditNotes as creditNoteEntity, listCreditNotes } from '#lib/billing/credit-note.ts'
import { documentPages } from '#lib/billing/document.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { paymentColumns } from '#lib/billing/payment.ts'
import { listSubscriptions } from '#lib/billing/subscription.ts'
import type { Store } from '#lib/table/store.ts'
import type { DatasetRows } from '#test/datasets/import-rows.ts'
import { aTable } from '#test/datasets/import-table.ts'
import { rowsOfPages } from '#test/dump.ts'
import {
  allDocuments,
  exampleCreditNotes,
  exampleInvoices,
  examplePayments,
  exampleServices,
  exampleSubscriptions,
} from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { aBilledWorld, admin, bill, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'

const noteIds = async (store: Store, owner: number) =>
  (await rowsOfPages(listCreditNotes(store, { owner }))).map(({ id }) => id)

test('the same documents again write nothing', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  const [before, spent] = [await table.dump(), table.meter.spent.write]
  const reports = await table.run(allDocuments)

  expect(reports.flatMap(({ refused }) => [...refused])).toEqual([])
  expect(reports.at(-1)).toMatchObject({ file: 'invoice_products', written: 0, unchanged: 3 })
  expect(await table.dump()).toEqual(before)
  expect(table.meter.spent.write).toBe(spent)
})

const blankPayment = Object.fromEntries(Object.keys(paymentColumns).map((column) => [column, '']))

test.each([
  ['whole rows', blankPayment],
  ['rows that lack columns', {}],
])(
  'an import of %s reads a unit for each new document and each account, and the settings for 16 rows',
  async (_, blank) => {
    const table = await aTable()
    const bob = people.find(({ username }) => username === 'bob')
    const users = Array.from({ length: 20 }, (_, n) => ({ ...bob, id: `${500 + n}`, username: `user-${n}` }))
    await table.run({ users: [...people, ...users] })
    const rows = Array.from({ length: 600 }, (_, id) => ({
      ...blank,
      id: String(id + 1),
      user_id: `${500 + (id % 20)}`,
      date: '2026-03-01 10:00:00',
      amount: '5',
    }))
    const { read } = { ...table.meter.spent }

    await table.run({ payments: rows }, { unforeseen: true })

    expect(table.meter.spent.read - read).toBeLessThan(600 + 20 + 600 / 16 + 10)
  },
)

test('a document with another date or account is listed only in its new place', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  await table.run({ credit_notes: [{ ...exampleCreditNotes[1], issue_date: '2026-04-01', user_id: '20' }] })

  expect(await noteIds(table.store, 0)).toEqual([1, 5])
  expect(await noteIds(table.store, 2)).toEqual([3, 2])
  expect(await rowsOfPages(listCreditNotes(table.store, { user: 10 }))).toMatchObject([{ id: 1 }])
  expect(await creditNoteEntity.find(table.store, 2)).toMatchObject({ user_id: 20, owner_id: 2 })
})

test('an account that moves to another owner takes its subscriptions along, its documents stay', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  const handOver = people.map((person) =>
    person.username === 'carol' ? { ...person, owner_id: '3' } : person,
  )
  await table.run({ users: handOver })

  await table.run({ credit_notes: exampleCreditNotes.map((note) => ({ ...note, comment: 'Again' })) })

  const present = (await rowsOfPages(listInvoices(table.store, { owner: 3 }))).map(({ id }) => id)
  expect([await noteIds(table.store, 2), await noteIds(table.store, 3), present]).toEqual([[3], [4], [4]])
  expect((await rowsOfPages(listSubscriptions(table.store, [{ owner: 3 }]))).map(({ id }) => id)).toEqual([
    2, 11,
  ])
  expect(await creditNoteEntity.find(table.store, 3)).toMatchObject({ owner_id: 2 })
})

test('a document that is imported while its account moves is listed with one of its owners', async () => {
  const table = await aTable()
  await table.run(allDocuments)
  const handOver = people.map((person) =>
    person.username === 'carol' ? { ...person, owner_id: '3' } : person,
  )
  const later = Array.from({ length: 30 }, (_, id) => ({ ...exampleCreditNotes[2], id: String(100 + id) }))

  await Promise.all([table.run({ users: handOver }), table.run({ credit_notes: later })])

  const ids = [...(await noteIds(table.store, 2)), ...(await noteIds(table.store, 3))]
  expect(new Set(ids).size).toBe(32)
  expect(ids).toHaveLength(32)
})

/** A refused row changes nothing, so that all refusals are of one table. */
let filled: Awaited<ReturnType<typeof aTable>>
beforeAll(async () => {
  filled = await aTable()
  await filled.run(allDocuments)
})

test.each([
  [
    'an unknown account',
    { payments: [{ ...examplePayments[0], user_id: '99' }] },
    'user_id: there is no account 99',
  ],
  [
    'a payment without an amount',
    { payments: [{ ...examplePayments[0], amount: '' }] },
    'amount must not be blank',
  ],
  [
    'an amount of 31 digits',
    { payments: [{ ...examplePayments[0], amount: '9'.repeat(31) }] },
    `amount takes: decimal number of at most 30 digits, not "${'9'.repeat(31)}"`,
  ],
  [
    'an id twice',
    { credit_notes: exampleCreditNotes.slice(0, 2).map((note) => ({ ...note, id: '1' })) },
    'id 1 is in line 1 already',
  ],
  [
    'an unknown owner',
    { services: [{ ...exampleServices[0], owner_id: '77' }] },
    'owner_id: there is no account 77',
  ],
  [
    'an owner that may own nothing',
    { services: [{ ...exampleServices[0], owner_id: '10' }] },
    'owner_id: account 10 is not an admin, reseller or partner',
  ],
  [
    'an unknown service',
    { subscriptions: [{ ...exampleSubscriptions[0], service_id: '88' }] },
    'service_id: there is no service 88',
  ],
  [
    'an unknown device',
    { subscriptions: [{ ...exampleSubscriptions[0], device_id: '88' }] },
    'device_id: there is no device 88',
  ],
  [
    'an end before the beginning',
    { subscriptions: [{ ...exampleSubscriptions[0], till: '2025-12-31 00:00:00' }] },
    'till is before from',
  ],
  [
    'a number that is too long for a key',
    { invoices: [{ ...exampleInvoices[1], number: 'x'.repeat(61) }] },
    `number takes: 1 to 60 characters, not "${'x'.repeat(60)}..."`,
  ],
  [
    'products of an unknown invoice',
    { invoice_products: [{ invoice_id: '99', sum: '1' }] },
    'invoice 99: there is no such invoice',
  ],
] satisfies [string, DatasetRows, string][])(
  'refuses a row with a reason: %s',
  async (_case, rows, reason) => {
    const before = await filled.dump()
    const reports = await filled.run(rows)

    expect(reports.flatMap(({ refused }) => [...refused.values()])).toEqual([reason])
    expect(
      (await filled.dump()).filter(
        (item) => !before.some(({ PK, SK }) => PK === item['PK'] && SK === item['SK']),
      ),
    ).toEqual([])
  },
)

test('rows keep the amounts that an issued month has billed and booked', async () => {
  const line = { id: '1', owner_id: '0', name: 'Line', type: 'periodic_fee', period: 'month', price: '9.999' }
  const since = { id: '1', user_id: '10', service_id: '1', from: '2026-05-01 00:00:00' }
  const rows = { users: [admin, person(10)], services: [line], subscriptions: [since] }
  const world = await aBilledWorld(rows, { Charges_From: '2026-05-01' })
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  const [charge] = await rowsOfPages(listCharges(world.store, { user: 10 }))
  const [adjustment] = await rowsOfPages(documentPages(world.store, adjustments, { scope: { user: 10 } }))
  const charged = cellsOf(chargeColumns, charge)
  const adjusted = { ...cellsOf(adjustmentColumns, adjustment), date: '2026-06-02 08:00:00' }

  await world.given({ charges: [{ ...charged, memo: 'Renamed' }], adjustments: [adjusted] })
  for (const change of [
    { charges: [{ ...charged, amount: '11' }] },
    { charges: [{ ...charged, user_id: '0' }] },
    { adjustments: [{ ...adjusted, amount: '11' }] },
  ])
    await expect(world.given(change)).rejects.toThrow('is not changed')
  expect(await damageIn(world)).toEqual([])
})

const cellsOf = (columns: object, row: object | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row ?? {}).flatMap(([name, cell]) =>
      name in columns ? [[name, String(cell ?? '')]] : [],
    ),
  )

test('a row that says when it was posted posts nothing again, one that does not is posted', async () => {
  const open = { user_id: '10', price: '10', issue_date: '2026-05-01' }
  const at = { user_id: '10', date: '2026-05-02 10:00:00', amount: '3' }
  const paid = { ...at, type: 'cash', completed: '1', confirm_date: '2026-05-02 10:00:00' }
  const posted = { posted_on: '2026-05-02' }
  const rows = (first: number, more: object) => ({
    invoices: [{ ...open, ...more, id: `${first}`, number: `I-${first}` }],
    credit_notes: [{ ...open, ...more, id: `${first}`, number: `C-${first}` }],
    payments: [{ ...paid, ...more, id: `${first}` }],
    adjustments: [{ ...at, ...more, id: `${first}`, who: 'u0', why: 'Outage' }],
  })
  const world = await aBilledWorld({ users: [admin, person(10)], ...rows(1, posted) })
  const entries = async () => (await world.dump()).filter(({ PK }) => PK.startsWith('UNPOSTED#'))
  expect(await entries()).toEqual([])
  await world.given(rows(1, posted))
  expect(await entries()).toEqual([])

  await world.given(rows(2, {}))
  const waits = { ...paid, id: '3', completed: '0', confirm_date: '' }
  await world.given({ payments: [{ ...waits, ...posted }] })
  expect(await entries()).toHaveLength(4)
  await world.given({ payments: [{ ...waits, ...posted, completed: '1' }] })
  expect(await entries()).toHaveLength(5)
  expect(await damageIn(world)).toEqual([])
})
