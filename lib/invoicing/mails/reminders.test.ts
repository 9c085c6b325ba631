import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import type { Mail } from '#lib/alerts/mail.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { recordPayment } from '#lib/billing/payments/record-payment.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { carryOutAs } from '#tools/command-line/act-commands.ts'
import { asInvoice } from '../documents/rendered.ts'
import { mailsOf, remindersOf } from '../mailing.ts'
import { dueReminders, openByCurrency, remind } from './reminders.ts'
import { sendDueMails } from './send-mails.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es']

const SETTINGS = {
  ...{ Mail_From: 'billing@northwind.example', Seller_Name: 'Northwind', Payment_Days: '14' },
  ...{ Reminder_Days: '7,21,35', Reminder_Least: '5', Reminder_Sentence: 'BGB 286.' },
}

async function lateInvoices(settings: Readonly<Record<string, string>> = {}) {
  const people = LANGUAGES.map((language, index) =>
    person(10 + index, { language, email: `${language}@x.example`, postpaid: '1', vat_percent: '0' }),
  )
  const small = person(20, { email: 'small@x.example', postpaid: '1', vat_percent: '0' })
  const calls = people.map(({ id }) => aCall(Number(id), '2026-05-03 10:00:00', '100'))
  const world = await aBilledWorld(
    { users: [admin, ...people, small], calls: [...calls, aCall(20, '2026-05-03 10:00:00', '4')] },
    { ...SETTINGS, ...settings },
  )
  await issue(world)
  const mails: Mail[] = []
  const on = (day: string) => {
    world.now = new Date(`${day}T09:00:00Z`)
  }
  const act = () => ({ as: 'u0', now: world.now })
  return {
    world,
    mails,
    on,
    due: async () =>
      (
        await Array.fromAsync(
          dueReminders({ store: world.store, settings: await settingsOf(world.store), now: world.now }, 0),
        )
      ).map(({ account, level, invoices }) => [account.id, level, ...openByCurrency(invoices)]),
    pay: (customer: string, values: Readonly<Record<string, string>>) =>
      carryOutAs(world.store, recordPayment, act(), { customer, type: 'bank', again: 'yes', ...values }),
    remindAll: async (answer: { status: number } | { error: string } = { status: 200 }) => {
      const { answer: done } = await carryOutAs(world.store, remind, act(), {})
      const settings = await settingsOf(world.store)
      const bucket = folderBucket(mkdtempSync(`${tmpdir()}/archive-`))
      const send = async (mail: Mail) => {
        mails.push(mail)
        return answer
      }
      await sendDueMails({ store: world.store, settings, bucket, send, clock: () => world.now })
      return done
    },
  }
}

test('of an invoice without a due day the reminder names its date', async () => {
  const { world, on, remindAll, mails } = await lateInvoices()
  const old = { user_id: '11', number: 'OLD-1', issue_date: '2026-01-10', status: 'unpaid', currency: 'EUR' }
  await world.given({ invoices: [{ ...old, id: '900', price: '50', price_with_vat: '60' }] })
  on('2026-07-30')
  await remindAll()

  expect(mails.find(({ to }) => to === 'de@x.example')?.text).toMatch(
    /\nOLD-1 vom 10\. Januar 2026: 60,00 EUR\nA-2026-2, fällig am 16\. Juni 2026: 100,00 EUR\n/,
  )
})

test('each level goes once, after the days between them, in the language of the customer', async () => {
  const { world, on, due, remindAll, mails } = await lateInvoices()

  // Issued on 2 June, due on 16 June.
  on('2026-06-22')
  expect(await due()).toEqual([])
  on('2026-07-30')
  expect(await due()).toEqual([10, 11, 12, 13].map((id) => [id, 1, '100.00 EUR']))
  expect(await remindAll()).toEqual({ reminded: 4, without_address: 0 })
  expect(mails.map(({ subject }) => subject).sort()).toEqual(
    ['Rappel', 'Recordatorio de pago', 'Reminder', 'Zahlungserinnerung'].map(
      (title) => `${title}, Northwind`,
    ),
  )
  expect(mails.find(({ to }) => to === 'de@x.example')).toMatchObject({
    to: 'de@x.example',
    text: expect.stringMatching(
      /A-2026-2, fällig am 16\. Juni 2026: 100,00 EUR[\s\S]*BGB 286\.\n\nNorthwind$/,
    ),
    attachments: [{ type: 'application/pdf' }],
  })
  expect(await remindAll()).toEqual({ reminded: 0, without_address: 0 })
  on('2026-08-12')
  expect(await due()).toEqual([])
  on('2026-08-13')
  expect((await due()).map(([, level]) => level)).toEqual([2, 2, 2, 2])
  await remindAll()
  const late = (await Array.fromAsync(listInvoices(world.store, { user: 11 }))).flat()[0]
  const reminders = late ? await mailsOf(world.store, asInvoice(late)) : []
  expect(reminders.map(({ level, state, number }) => [level, state, number])).toEqual([
    [1, 'sent', 'A-2026-2'],
    [2, 'sent', 'A-2026-2'],
  ])
  expect(await remindersOf(world.store, 11, 0)).toEqual(reminders)
  on('2026-08-27')
  await remindAll()
  on('2026-12-27')
  expect(await due()).toEqual([])
  expect(
    mails
      .slice(8)
      .map(({ subject }) => subject)
      .sort(),
  ).toEqual(
    ['Dernier rappel', 'Last reminder', 'Letzte Mahnung', 'Último recordatorio'].map(
      (title) => `${title}, Northwind`,
    ),
  )
})

test('what is paid is not reminded of, assigned or not; a refused mail has reminded nobody', async () => {
  const { world, on, due, remindAll, pay } = await lateInvoices()
  on('2026-06-30')
  await pay('u10', { amount: '100', invoice: 'A-2026-1' })
  await pay('u11', { amount: '97' })
  await pay('u12', { amount: '40', invoice: 'A-2026-3' })

  expect(await due()).toEqual([
    [12, 1, '60.00 EUR'],
    [13, 1, '100.00 EUR'],
  ])
  expect(await remindAll({ error: '550 No such user' })).toEqual({ reminded: 2, without_address: 0 })
  expect((await due()).map(([id, level]) => [id, level])).toEqual([
    [12, 1],
    [13, 1],
  ])
  expect(await remindersOf(world.store, 12, 0)).toEqual([])
})

test('reminders are off until their days are set', async () => {
  const { on, due, remindAll } = await lateInvoices({ Reminder_Days: '' })
  on('2026-07-30')

  expect(await due()).toEqual([])
  await expect(remindAll()).rejects.toMatchObject({ code: 'reminders_off' })
})
