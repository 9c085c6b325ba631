import { expect, test } from 'vitest'
import { hexDigest } from '#lib/base/digest.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, bill, person } from '#test/invoicing/a-month.ts'
import { damageIn } from '#test/soundness.ts'
import type { World } from '#test/world.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { closeMonth } from './close-month.ts'
import { journalFile } from './journal-file.ts'

async function aWorldInJune(payers = 1): Promise<World> {
  const users = Array.from({ length: payers }, (_, index) => person(10 + index))
  const world = await aBilledWorld({
    users: [admin, ...users],
    calls: [aCall(10, '2026-05-03 10:00:00', '5')],
  })
  world.now = new Date('2026-06-20T08:00:00Z')
  return world
}

const close = ({ store, now }: World, month: string) =>
  carryOutAs(store, closeMonth, { as: 'u0', now }, { month })

const pay = ({ store, now }: World, customer: string, values: Readonly<Record<string, string>> = {}) =>
  carryOutAs(
    store,
    recordPayment,
    { as: 'u0', now },
    { customer, amount: '1', date: '2026-05-20', again: 'yes', ...values },
  )

const csvOf = async ({ store, now }: World, month: string): Promise<string> => {
  const source = { store, settings: await settingsOf(store) }
  return (await Array.fromAsync(journalFile(source, { seller: 0, month, format: 'csv', now }))).join('')
}

const digestOf = async (world: World, month: string) => hexDigest(await csvOf(world, month))

/** Posting day, day of the document, kind. */
const daysIn = async (world: World, month: string) => {
  const rows = (await csvOf(world, month)).trimEnd().split('\r\n').slice(1)
  return rows.map((row) => row.split(',')).filter((cells, index, all) => cells[0] !== all[index - 1]?.[0])
}

test('after a close the month stays as it is, and what belongs into it is posted on the first open day', async () => {
  const world = await aWorldInJune()
  await pay(world, 'u10')
  const { answer } = await close(world, '2026-05')
  expect(answer).toEqual({ month: '2026-05', seller: 0, entries: 1, open_from: '2026-06-01' })
  const closed = await digestOf(world, '2026-05')

  await pay(world, 'u10', { date: '2026-02-20' })
  await bill(world, { month: '2026-05', owner: 0 }, 'issue')
  expect(await digestOf(world, '2026-05')).toBe(closed)
  const june = await daysIn(world, '2026-06')
  expect(june.map((cells) => cells.slice(0, 5).join(' '))).toEqual([
    '1 2026-06-01 2026-02-20 178194240000001 payment',
    '2 2026-06-01 2026-06-20 A-2026-1 invoice',
  ])
  expect(await damageIn(world)).toEqual([])
})

test('months are closed in order, once they are over', async () => {
  const world = await aWorldInJune()
  await expect(close(world, '2026-06')).rejects.toThrow('month_not_over')
  await close(world, '2026-03')
  await expect(close(world, '2026-05')).rejects.toThrow('earlier_month_open {"month":"2026-04"}')
  await expect(close(world, '2026-02')).rejects.toThrow('month_closed {"month":"2026-02","till":"2026-03"}')
  await close(world, '2026-04')
  await expect(close(world, '2026-04')).rejects.toThrow('month_closed')
})

test('an entry without an account keeps the month open, and leaves no hole in its numbers', async () => {
  const world = await aWorldInJune()
  await pay(world, 'u10', { type: 'bank' })
  await world.set({ Journal_Bank: 'bank=1200' })
  await pay(world, 'u10', { type: 'sepa' })
  await expect(close(world, '2026-05')).rejects.toThrow(
    'no_journal_account {"setting":"Journal_Bank","word":"sepa"}',
  )
  await world.set({ Journal_Bank: '1200' })
  expect((await close(world, '2026-05')).answer.entries).toBe(2)
  expect(await damageIn(world)).toEqual([])
})
