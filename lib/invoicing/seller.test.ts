import { expect, test } from 'vitest'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { findInvoices, listInvoices } from '#lib/billing/invoice.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { damageIn } from '#test/soundness.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { rendered } from './documents/rendered.ts'

const reseller = person(2, { usertype: 'reseller', username: 'rick', company_name: 'Rick Resale' })
const carol = person(10, { username: 'carol', owner_id: '2', postpaid: '1' })
const people = [admin, reseller, carol]

/** A customer of the reseller with an invoice of May. */
async function aSoldMonth() {
  const world = await aBilledWorld(
    { users: people, calls: [aCall(10, '2026-05-03 10:00:00', '100')] },
    { Seller_Name: 'Northwind' },
  )
  await issue(world, { owner_id: 2 })
  return world
}

type SoldWorld = Awaited<ReturnType<typeof aSoldMonth>>

const move = (world: SoldWorld, owner_id = '0') =>
  world.given({ users: [admin, reseller, { ...carol, owner_id }] })

const pay = ({ store, now }: SoldWorld, amount: string, invoice = 'A-2026-1', as = 'rick') =>
  carryOutAs(store, recordPayment, { as, now }, { customer: 'carol', amount, invoice })

const numbersOf = async ({ store }: SoldWorld, owner: number) =>
  (await Array.fromAsync(listInvoices(store, { owner }))).flat().map(({ number }) => number)

test('a customer who moves leaves his documents, their numbers and their look with their seller', async () => {
  const world = await aSoldMonth()
  await pay(world, '121')
  await move(world)

  expect(await numbersOf(world, 2)).toEqual(['A-2026-1'])
  expect(await numbersOf(world, 0)).toEqual([])
  const [document] = (await Array.fromAsync(listInvoices(world.store, { user: 10 }))).flat()
  if (!document) throw new Error('The invoice is missing')
  const source = { store: world.store, settings: await settingsOf(world.store) }
  const { pieces } = await rendered(source, { kind: 'invoice', document }, 'html')
  expect(Buffer.concat(await Array.fromAsync(pieces)).toString()).toContain('Rick Resale')

  world.now = new Date('2026-07-02T08:00:00Z')
  await world.given({ calls: [aCall(10, '2026-06-03 10:00:00', '3')] })
  await issue(world, { month: '2026-06' })
  expect(await numbersOf(world, 0)).toEqual(['A-2026-1'])
  expect(await numbersOf(world, 2)).toEqual(['A-2026-1'])
})

test('the former seller can still credit its invoice, in its own series', async () => {
  const world = await aSoldMonth()
  await pay(world, '121')
  await move(world)
  const { store, now } = world

  await addCreditNote(store, { invoice: 'A-2026-1', why: 'Goodwill', amount: '1' }, { as: 'u0', now })

  const notes = (await Array.fromAsync(listCreditNotes(store, { owner: 2 }))).flat()
  expect(notes.map(({ number, owner_id }) => [number, owner_id])).toEqual([['C-2026-1', 2]])
  expect((await findInvoices(store, [Number(notes[0]?.id)])).length).toBe(1)
  await expect(Array.fromAsync(listCreditNotes(store, { user: 10, seller: 0 }))).resolves.toEqual([])
})

const may = { calls: [aCall(10, '2026-05-03 10:00:00', '100')] }
const formats = { invoice_number_format: 'RR{year}/{n}', credit_note_number_format: 'RC-{n}' }

test('a reseller numbers its documents in its own series, and the operator goes on in that of the settings', async () => {
  const ours = person(11, { username: 'dan' })
  const calls = [...may.calls, aCall(11, '2026-05-03 10:00:00', '50')]
  const world = await aBilledWorld({ users: [admin, { ...reseller, ...formats }, carol, ours], calls })
  await issue(world, { owner_id: 2 })
  await issue(world)
  const { store, now } = world

  await addCreditNote(store, { invoice: 'RR2026/1', why: 'Goodwill', amount: '1' }, { as: 'u0', now })

  expect([await numbersOf(world, 2), await numbersOf(world, 0)]).toEqual([['RR2026/1'], ['A-2026-1']])
  const notes = (await Array.fromAsync(listCreditNotes(store, { owner: 2 }))).flat()
  expect(notes.map(({ number }) => number)).toEqual(['RC-1'])
})

test('a changed format begins a series, and the former one goes on where it was', async () => {
  const world = await aBilledWorld({ users: people, ...may })
  await issue(world, { owner_id: 2 })
  const months = [
    ['2026-06', formats],
    ['2026-07', formats],
    ['2026-08', { invoice_number_format: '' }],
  ] as const
  for (const [month, columns] of months) {
    await world.given({
      users: [admin, { ...reseller, ...columns }, carol],
      calls: [aCall(10, `${month}-03 10:00:00`, '3')],
    })
    world.now = new Date(`${month}-28T08:00:00Z`)
    world.now.setUTCMonth(world.now.getUTCMonth() + 1, 2)
    await issue(world, { owner_id: 2, month })
  }

  expect((await numbersOf(world, 2)).toSorted()).toEqual(['A-2026-1', 'A-2026-2', 'RR2026/1', 'RR2026/2'])
})

test.each([
  ['the settings', 0],
  ['a reseller', 2],
])('no number is given twice when a format of %s is changed and changed back', async (_whose, owner_id) => {
  const user = person(10, { owner_id: String(owner_id), postpaid: '1' })
  const imported = { id: '1', user_id: '10', number: 'a-9', issue_date: '2026-04-01', status: 'paid' }
  const world = await aBilledWorld({
    users: [admin, reseller, user],
    invoices: [{ ...imported, price: '1', period_from: '2026-04-01', period_till: '2026-04-30' }],
  })
  const formatted = ['A-{n}', 'A-1{n}', 'A-1{n}', 'A-{n}', 'A-{n}', 'A-1{n}']
  for (const [index, format] of formatted.entries()) {
    const month = `2026-${String(index + 5).padStart(2, '0')}`
    await world.given({
      users: [admin, { ...reseller, ...(owner_id === 2 && { invoice_number_format: format }) }, user],
      ...(owner_id === 0 && { settings: [{ name: 'Invoice_Number_Format', value: format }] }),
      calls: [aCall(10, `${month}-03 10:00:00`, '3')],
    })
    world.now = new Date(`${month}-28T08:00:00Z`)
    world.now.setUTCMonth(world.now.getUTCMonth() + 1, 2)
    await issue(world, { owner_id, month })
  }

  expect(await numbersOf(world, owner_id)).toEqual(['a-9', 'A-10', 'A-11', 'A-12', 'A-13', 'A-14', 'A-15'])
  expect(await damageIn(world)).toEqual([])
})

test('a payment to the new seller names no invoice of the former one', async () => {
  const world = await aSoldMonth()
  await pay(world, '121')
  await move(world)

  await expect(pay(world, '10', 'A-2026-1', 'u0')).rejects.toMatchObject({
    code: 'other_seller',
    values: { number: 'A-2026-1' },
    field: 'invoice',
  })
})

test('a customer with something unbilled, open or left stays with its seller', async () => {
  const world = await aSoldMonth()
  const moved = () =>
    move(world).then(
      () => 'moved',
      (error: Error) => error.message,
    )

  expect(await moved()).toContain('carol cannot leave its seller: 121 EUR of its invoices are open')
  await pay(world, '121')
  await world.given({ calls: [aCall(10, '2026-06-01 10:00:00', '3')] })
  expect(await moved()).toContain('carol cannot leave its seller: June 2026 is not billed: issue it first')
  world.now = new Date('2026-07-02T08:00:00Z')
  await issue(world, { owner_id: 2, month: '2026-06' })
  await pay(world, '5', 'A-2026-2')
  expect(await moved()).toContain('its balance is 1.37 EUR: adjust it to 0 first')
})

test('of two sellers with one number, a payment is for the present one, a credit note for the named one', async () => {
  const world = await aSoldMonth()
  await pay(world, '121')
  await move(world)
  world.now = new Date('2026-07-02T08:00:00Z')
  await world.given({ calls: [aCall(10, '2026-06-03 10:00:00', '3')] })
  await issue(world, { month: '2026-06' })
  const { store, now } = world
  const act = { as: 'u0', now }
  const whole = { invoice: 'A-2026-1', why: 'Wrong', customer: 'carol' }

  await pay(world, '3.63', 'A-2026-1', 'u0')
  const paid = (await Array.fromAsync(listInvoices(store, { user: 10 }))).flat()
  expect(paid.map(({ owner_id, status }) => [owner_id, status])).toEqual([
    [2, 'paid'],
    [0, 'paid'],
  ])
  await expect(addCreditNote(store, whole, act)).rejects.toMatchObject({
    values: { found: ['carol', 'carol'] },
  })
  await addCreditNote(store, { ...whole, seller: 'u0' }, act)
  const [document] = (await Array.fromAsync(listCreditNotes(store, { owner: 0 }))).flat()
  if (!document) throw new Error('The credit note is missing')
  const source = { store, settings: await settingsOf(store) }
  const { pieces } = await rendered(source, { kind: 'credit note', document }, 'html')
  const page = Buffer.concat(await Array.fromAsync(pieces)).toString()
  expect(page).toContain('3.63 EUR')
  expect(page).not.toContain('100.00')
})
