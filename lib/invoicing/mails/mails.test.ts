import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { carryOut } from '#lib/acts/act.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { MAIL_TAG, type SendMail } from '#lib/alerts/mail.ts'
import { MOST_TRIES } from '#lib/alerts/sender.ts'
import { listCreditNotes } from '#lib/billing/credit-note.ts'
import { listInvoices } from '#lib/billing/invoice.ts'
import { folderBucket } from '#lib/calls/archive/bucket.ts'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { aMailServer } from '#test/invoicing/a-mail-server.ts'
import { aBilledWorld, aCall, admin, issue, person } from '#test/invoicing/a-month.ts'
import { addCreditNote } from '#test/invoicing/credited.ts'
import { smtpSender } from '#tools/server/mails.ts'
import { asInvoice, type FoundDocument } from '../documents/rendered.ts'
import { givenFile } from '../documents/stored-files.ts'
import { mailsOf, openMails } from '../mailing.ts'
import { noteDeliveryReport, noteSesEvent } from './bounces.ts'
import { noteBounce, sendCreditNote, sendInvoice, sendMonth } from './send-acts.ts'
import { sendDueMails } from './send-mails.ts'

const SELLER = {
  ...{ Seller_Name: 'Nördwind', Seller_VAT_Number: 'DE123456789', Seller_Address: 'Hafen 1' },
  ...{ Seller_Postcode: '20457', Seller_City: 'Hamburg', Seller_Country: 'DE', Seller_Bank: 'IBAN DE89' },
  Mail_From: 'billing@northwind.example',
  ...{ Stripe_Key: 'sk_test_0123456789', Page_Address: 'https://pay.northwind.example/' },
}

const PEOPLE = [
  person(10, {
    ...{ username: 'carol', company_name: 'Dent KG', email: 'carol@dent.example', language: 'de' },
    ...{ itemised: '1', postpaid: '1', document_format: 'ubl', vat_number: 'DE987654321' },
    ...{ address: 'Weg 1', postcode: '10115', city: 'Berlin' },
  }),
  person(11, { username: 'dave', email: 'gone@dave.example', postpaid: '1' }),
  person(12, { username: 'erin', email: 'full@erin.example', postpaid: '1' }),
  person(13, { username: 'fred', postpaid: '1' }),
  person(14, { username: 'gina', email: 'lost@gina.example', postpaid: '1' }),
]

async function anIssuedMonth(settings: Readonly<Record<string, string>> = {}) {
  const server = await aMailServer()
  onTestFinished(server.stop)
  const calls = PEOPLE.map(({ id }) => aCall(Number(id), '2026-05-03 10:00:00', '100'))
  const world = await aBilledWorld({ users: [admin, ...PEOPLE], calls }, { ...SELLER, ...settings })
  // A port of its own in the beginning would make each beginning another.
  await world.set({ Mail_Server: server.setting })
  await issue(world)
  const smtp = smtpSender()
  onTestFinished(smtp.close)
  const bucket = folderBucket(mkdtempSync(`${tmpdir()}/archive-`))
  const source = async (send?: SendMail) => {
    const present = await settingsOf(world.store)
    return {
      ...{ store: world.store, settings: present, bucket, clock: () => world.now },
      send: send ?? ((mail) => smtp.send(mail, present)),
    }
  }
  const invoiceOf = async (user: number): Promise<FoundDocument> => {
    const [invoice] = (await Array.fromAsync(listInvoices(world.store, { user }))).flat()
    if (!invoice) throw new Error(`account ${user} has no invoice`)
    return asInvoice(invoice)
  }
  const actor = { id: 0, owner_id: 0, usertype: 'admin', username: 'root', permissions: '' } as const
  const run = async (act: unknown, given: GivenTexts, key?: string) => {
    const context = { store: world.store, settings: await settingsOf(world.store), now: world.now, actor }
    const outcome = await carryOut(act as typeof sendInvoice, { ...context, namesAreTyped: true }, given, key)
    return outcome.answer as unknown
  }
  const pass = (seconds: number) => {
    world.now = new Date(world.now.getTime() + seconds * 1000)
  }
  return {
    ...{ world, server, bucket, source, invoiceOf, run, pass },
    sendNow: async (send?: SendMail) => sendDueMails(await source(send)),
    stateOf: async (user: number) =>
      (await mailsOf(world.store, await invoiceOf(user))).map(({ state, answer }) =>
        `${state} ${answer}`.trim(),
      ),
  }
}

test('an invoice goes with the bytes that are stored of it, in the words of its customer', async () => {
  const { server, run, sendNow, source, invoiceOf, world, pass } = await anIssuedMonth()

  expect(await run(sendInvoice, { invoice: 'a-2026-1' })).toEqual({
    number: 'A-2026-1',
    to: 'carol@dent.example',
  })
  pass(1)
  expect(await sendNow()).toEqual({ sent: 1, refused: 0, waiting: 0, in_doubt: 0 })

  const [mail] = server.mails
  expect(mail).toMatchObject({ from: SELLER.Mail_From, to: 'carol@dent.example' })
  const text = decoded(mail?.text ?? '')
  expect(text).toContain('Guten Tag Dent KG,')
  expect(text).toContain('anbei erhalten Sie Rechnung A-2026-1 vom 2. Juni 2026.')
  expect(text).toContain('Verwendungszweck: A-2026-1')
  expect(text).toContain('Oder zahlen Sie mit Karte: https://pay.northwind.example/')
  expect(mail?.text).toMatch(/^Subject: =\?UTF-8\?Q\?Rechnung_A-2026-1=2C_N=C3=B6rdwind\?=/m)
  const found = await invoiceOf(10)
  for (const [format, name] of [
    ['pdf', 'A-2026-1.pdf'],
    ['ubl', 'A-2026-1.xml'],
    ['calls', 'A-2026-1-calls.pdf'],
  ] as const) {
    const { pieces } = await givenFile({ ...(await source()), now: world.now }, found, format)
    const bytes = Buffer.concat(await Array.fromAsync(pieces))
    expect(attached(mail?.text ?? '', name)).toEqual(bytes)
  }
  const [kept] = await mailsOf(world.store, found)
  expect(kept).toMatchObject({ state: 'sent', by: 'root', to: 'carol@dent.example', answer: '' })
  // A long line of a header is folded.
  expect(mail?.text).toMatch(/^Message-ID:\s+<INVOICE\.10\.\d+\.[0-9a-f]{32}@northwind\.example>/m)
  expect(mail?.text).toContain(kept?.message_id)
})

test('a document is sent once: by a repeated request, a second act and two senders at once', async () => {
  const { server, run, sendNow, pass, stateOf } = await anIssuedMonth()

  const given = { invoice: 'A-2026-1' }
  const first = await run(sendInvoice, given, 'one')
  expect(await run(sendInvoice, given, 'one')).toEqual(first)
  await expect(run(sendInvoice, given, 'two')).rejects.toMatchObject({ code: 'mailed' })
  pass(1)
  await Promise.all([sendNow(), sendNow()])
  expect(server.mails).toHaveLength(1)
  await expect(run(sendInvoice, given)).rejects.toMatchObject({
    values: { number: 'A-2026-1', to: 'carol@dent.example', state: 'sent' },
  })

  await run(sendInvoice, { ...given, again: 'yes', to: 'boss@dent.example' })
  pass(1)
  await sendNow()
  expect(server.mails.map(({ to }) => to)).toEqual(['carol@dent.example', 'boss@dent.example'])
  expect(await stateOf(10)).toEqual(['sent', 'sent'])
})

test('a month tells what was sent, refused, put off, in doubt, and without an address', async () => {
  const { server, run, sendNow, pass, stateOf, world } = await anIssuedMonth()

  expect(await run(sendMonth, { month: '2026-05' })).toEqual({
    ...{ month: '2026-05', asked: 4, before: 0, without_address: 1, has_more: false },
  })
  pass(1)
  expect(await sendNow()).toEqual({ sent: 1, refused: 1, waiting: 1, in_doubt: 1 })
  expect(await stateOf(11)).toEqual([expect.stringMatching(/^refused .*550 No such user/)])
  expect(await stateOf(12)).toEqual([expect.stringMatching(/^waiting .*452 Mailbox full/)])
  expect(await stateOf(13)).toEqual(['refused the account has no email'])
  expect(await stateOf(14)).toEqual([expect.stringMatching(/^in_doubt /)])
  const open = await openMails(world.store, 0, 100)
  expect(open.map(({ user_id }) => user_id).sort()).toEqual([11, 12, 13, 14])

  // A failed mail is asked for again. One in doubt is not.
  expect(await run(sendMonth, { month: '2026-05' })).toMatchObject({
    asked: 1,
    before: 3,
    without_address: 1,
  })
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    pass(86_400)
    await sendNow()
  }
  expect(await stateOf(12)).toEqual([expect.stringMatching(/^refused .*452 Mailbox full/)])
  expect(server.mails.map(({ to }) => to).sort()).toEqual(['carol@dent.example', 'lost@gina.example'])
})

test('a mail whose process ended on the way is in doubt, and only a person sends it again', async () => {
  const { server, run, sendNow, pass, stateOf } = await anIssuedMonth()
  await run(sendInvoice, { invoice: 'A-2026-1' })
  pass(1)
  // The process ends while it sends: the state of the mail is never noted.
  void sendNow(() => new Promise(() => undefined))
  await expect.poll(() => stateOf(10)).toEqual(['sending'])

  await sendNow()
  expect(await stateOf(10)).toEqual(['sending'])
  pass(16 * 60)
  expect(await sendNow()).toMatchObject({ in_doubt: 1 })
  expect(await stateOf(10)).toEqual(['in_doubt its process ended on the way'])
  pass(86_400)
  await sendNow()
  await expect(run(sendInvoice, { invoice: 'A-2026-1' })).rejects.toMatchObject({
    values: { state: 'in_doubt' },
  })
  expect(server.mails).toEqual([])

  await run(sendInvoice, { invoice: 'A-2026-1', again: 'yes' })
  pass(1)
  await sendNow()
  expect(server.mails).toHaveLength(1)
})

/** As Postfix reports it (RFC 3464), with the headers of the mail that came back. */
const reportOf = (message_id: string, action = 'failed') =>
  [
    'Content-Type: multipart/report; report-type=delivery-status; boundary="x"',
    ...[
      '',
      '--x',
      'Content-Type: message/delivery-status',
      '',
      'Final-Recipient: rfc822; carol@dent.example',
    ],
    ...[`Action: ${action}`, 'Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 No such user', '', '--x'],
    ...[
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: ${message_id}`,
      'Subject: Rechnung',
      '',
      '--x--',
    ],
  ].join('\r\n')

test('a mail that comes back is noted, from its report or by hand, and may be sent again', async () => {
  const { world, run, sendNow, pass, stateOf, invoiceOf } = await anIssuedMonth()
  const send = async () => {
    await run(sendInvoice, { invoice: 'A-2026-1' })
    pass(1)
    await sendNow()
    const sent = (await mailsOf(world.store, await invoiceOf(10))).at(-1)
    return sent?.message_id ?? ''
  }
  const report = (text: string) => noteDeliveryReport(world.store, text, world.now)

  await expect(run(noteBounce, { invoice: 'A-2026-1' })).rejects.toMatchObject({ code: 'no_sent_mail' })
  const first = await send()
  expect(await report(reportOf(first, 'delayed'))).toEqual([])
  expect(await report(reportOf(first.replace(/.@/, 'x@')))).toEqual([])
  expect(await report(reportOf(first))).toEqual(['A-2026-1'])
  expect(await stateOf(10)).toEqual(['bounced 550 5.1.1 No such user'])
  expect((await openMails(world.store, 0, 10)).map(({ state }) => state)).toEqual(['bounced'])
  const second = await send()
  expect(await report(reportOf(first))).toEqual([])
  await run(noteBounce, { invoice: 'A-2026-1', why: 'Full' })
  expect(await report(reportOf(second))).toEqual([])
  expect(await stateOf(10)).toEqual(['bounced 550 5.1.1 No such user', 'bounced Full'])
})

/** An event as EventBridge brings it (SES Developer Guide, "Examples of event data"). */
const eventOfSes = (tag: string, what: object) => ({
  ...what,
  mail: {
    timestamp: '2017-08-05T00:40:02.012Z',
    source: 'Sender Name <sender@example.com>',
    sendingAccountId: '123456789012',
    messageId: 'EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
    destination: ['recipient@example.com'],
    headersTruncated: false,
    tags: {
      'ses:configuration-set': ['tollgate-prod-mails'],
      'ses:source-ip': ['192.0.2.0'],
      [MAIL_TAG]: [tag],
    },
  },
})

const bounceOfSes = (bounceType: string, bounceSubType: string, recipient: object = {}) => ({
  eventType: 'Bounce',
  bounce: {
    ...{ bounceType, bounceSubType, timestamp: '2017-08-05T00:41:02.669Z' },
    bouncedRecipients: [{ emailAddress: 'recipient@example.com', ...recipient }],
    ...{ feedbackId: '01000157c44f053b-61b59c11', reportingMTA: 'dsn; mta.example.com' },
  },
})

const UNKNOWN_USER = { action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }

test.each([
  ['an unknown address', bounceOfSes('Permanent', 'General', UNKNOWN_USER), 'bounced 550 5.1.1 user unknown'],
  ['an address that bounced before', bounceOfSes('Permanent', 'Suppressed'), 'bounced Permanent Suppressed'],
  [
    'a reason that SES does not know',
    bounceOfSes('Undetermined', 'Undetermined'),
    'bounced Undetermined Undetermined',
  ],
  ['a full mailbox', bounceOfSes('Transient', 'MailboxFull', UNKNOWN_USER), 'bounced 550 5.1.1 user unknown'],
  [
    'an attachment with a virus',
    { eventType: 'Reject', reject: { reason: 'Bad content' } },
    'bounced Bad content',
  ],
  ['somebody who is away', bounceOfSes('Transient', 'General'), 'sent'],
  ['a mail that arrived', { eventType: 'Delivery', delivery: { smtpResponse: '250 ok' } }, 'sent'],
])('SES tells of %s', async (_what, event, state) => {
  const { world, run, sendNow, pass, stateOf } = await anIssuedMonth()
  let tag = ''
  const bySes: SendMail = async ({ messageId }) => {
    tag = /<([^@]+)@/.exec(messageId ?? '')?.[1]?.replaceAll('.', '-') ?? ''
    return { status: 200, id: 'EXAMPLE7c191be45' }
  }
  await run(sendInvoice, { invoice: 'A-2026-1' })
  pass(1)
  await sendNow(bySes)
  const note = (of: string, told: object = event) =>
    noteSesEvent(world.store, eventOfSes(of, told), world.now)

  expect(await note(tag.replace(/.$/, 'x'))).toEqual([])
  expect(await noteSesEvent(world.store, { ...event, mail: {} }, world.now)).toEqual([])
  expect(await note(tag)).toEqual(state === 'sent' ? [] : ['A-2026-1'])
  expect(await note(tag)).toEqual([])
  expect(await stateOf(10)).toEqual([state])
})

test('a mail that comes back before the answer of its server is stored is not noted as sent', async () => {
  const { world, run, sendNow, pass, stateOf } = await anIssuedMonth()
  await run(sendInvoice, { invoice: 'A-2026-1' })
  pass(1)
  await sendNow(async ({ messageId = '' }) => {
    await noteDeliveryReport(world.store, reportOf(messageId), world.now)
    return { status: 200 }
  })

  expect(await stateOf(10)).toEqual(['bounced 550 5.1.1 No such user'])
})

test('with Send_Invoices, documents go by themselves after they are issued', async () => {
  const { server, sendNow, pass, run, stateOf } = await anIssuedMonth({ Send_Invoices: 'on' })

  pass(1)
  expect(await sendNow()).toMatchObject({ sent: 1, refused: 1 })
  expect(await stateOf(13)).toEqual(['refused the account has no email'])
  expect(server.mails.map(({ to }) => to)).toContain('carol@dent.example')
  expect(await run(sendMonth, { month: '2026-05' })).toMatchObject({
    before: 3,
    asked: 1,
    without_address: 1,
  })
})

test('a credit note goes as an invoice does', async () => {
  const { server, run, sendNow, pass, world } = await anIssuedMonth()
  await addCreditNote(
    world.store,
    { invoice: 'A-2026-1', why: 'Kulanz', amount: '1' },
    { as: 'u0', now: world.now },
  )

  expect(await run(sendCreditNote, { note: 'c-2026-1' })).toMatchObject({ number: 'C-2026-1' })
  pass(1)
  await sendNow()
  expect(decoded(server.mails[0]?.text ?? '')).toContain('Rechnungskorrektur C-2026-1')
  const [note] = (await Array.fromAsync(listCreditNotes(world.store, { user: 10 }))).flat()
  await expect(run(sendCreditNote, { note: String(note?.id) })).rejects.toMatchObject({ code: 'mailed' })
  await expect(run(sendCreditNote, { note: 'C-9' })).rejects.toMatchObject({ code: 'unknown_credit_note' })
})

test('without a sender nothing is asked for, and a lost table of settings sends nothing', async () => {
  const { run, sendNow, world } = await anIssuedMonth({ Mail_From: '' })

  await expect(run(sendInvoice, { invoice: 'A-2026-1' })).rejects.toMatchObject({ code: 'mails_off' })
  await expect(run(sendMonth, { month: '2026-05' })).rejects.toMatchObject({ code: 'mails_off' })
  const before = world.store.meter.spent.read
  expect(await sendNow()).toMatchObject({ sent: 0 })
  // The settings alone were read.
  expect(world.store.meter.spent.read - before).toBeLessThanOrEqual(2)
  await world.store.update(settingsKey, { set: { Mail_From: 'a@b.example', Mail_Server: '' } })
  await run(sendInvoice, { invoice: 'A-2026-2', to: 'x@y.example' })
  expect(await sendNow()).toMatchObject({ refused: 1 })
})

test('a mail costs this many units', async () => {
  const { run, sendNow, pass, world, invoiceOf, source } = await anIssuedMonth()
  // Its files are stored, as the hourly run stores them.
  for (const format of ['pdf', 'ubl', 'calls'] as const)
    await givenFile({ ...(await source()), now: world.now }, await invoiceOf(10), format)
  const { spent } = world.store.meter
  const of = async (work: () => Promise<unknown>) => {
    const before = { ...spent }
    await work()
    return { read: spent.read - before.read, write: spent.write - before.write }
  }

  expect(await of(() => run(sendInvoice, { invoice: 'A-2026-1' }))).toEqual({ read: 7, write: 5 })
  pass(1)
  expect(await of(sendNow)).toEqual({ read: 7.5, write: 4 })
})

/** The text of a mail whose body is quoted-printable or plain. */
const decoded = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** The bytes of the file of this name. */
const attached = (text: string, name: string): Buffer => {
  const part = text
    .split(/\r\n--/)
    .find((one) => one.includes(`filename=${name}\r\n`) || one.includes(`filename="${name}"`))
  return Buffer.from((part?.split('\r\n\r\n')[1] ?? '').replaceAll(/\s/g, ''), 'base64')
}
