import { expect, test } from 'vitest'
import { settingsKey, settingsOf } from '#lib/settings/stored-settings.ts'
import { anEndpoint } from '#test/acts/endpoints.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { againOf, testOf } from './endpoint-acts.ts'
import { inOutbox, outboxOf } from './event.ts'
import type { EventType } from './event-types.ts'
import { relayEvents } from './relay.ts'
import { type WebhookMessage, webhookSender } from './sender.ts'

const BALANCE_EVENTS: EventType[] = ['balance.low', 'balance.exhausted']

/** Bob, 10, is a customer of the operator with an address. Endpoints of both mails hear of balances. */
async function mailing(bob: Readonly<Record<string, string>> = { email: 'bob@example.com' }) {
  const users = people.map((user) => (user['id'] === '10' ? { ...user, ...bob } : user))
  const world = await aWorld({ users }, { Seller_Name: 'Acme Telecom', Mail_From: 'us@example.com' })
  const { store, now } = world
  const add = (url: string, events: readonly EventType[], owner = 0) =>
    anEndpoint(world, { owner, url, events })
  const messages: WebhookMessage[] = []
  const relay = () =>
    relayEvents(
      store,
      async (some) => messages.push(...some),
      () => now,
    )
  const tell = async (type: EventType, account: number, owner = 0) => {
    const data = { account, owner, left: '14.5', thresholds: ['50', '20'], currency: 'USD' }
    await store.transact(
      outboxOf(await settingsOf(store), { type, owner, at: now, subject: `${type} ${account}`, data }),
    )
    await relay()
    return messages.splice(0)
  }
  return { ...world, add, relay, tell, messages }
}

const mailsOf = (messages: readonly WebhookMessage[]) => messages.map(({ mail }) => mail)

test('a low balance is a mail to the operator, and one to the customer in plain words', async () => {
  const { add, tell } = await mailing()
  await add('mailto:operator', BALANCE_EVENTS)
  await add('mailto:customer', BALANCE_EVENTS)

  const mails = mailsOf(await tell('balance.low', 10)).sort((one) => (one?.by === 'SNS' ? -1 : 1))

  expect(mails).toEqual([
    {
      by: 'SNS',
      to: '',
      subject: 'Low balance: Bob Brown',
      text: [
        'The remaining credit of an account fell below one of its thresholds.',
        '',
        'account: Bob Brown (bob, 10)',
        'left: 14.5',
        'thresholds: 50, 20',
        'currency: USD',
        'time: 2026-03-10T12:00:00.000Z',
      ].join('\n'),
    },
    {
      by: 'SES',
      to: 'bob@example.com',
      subject: 'Your balance is low',
      text: [
        'Hello Bob Brown,',
        '',
        '14.50 USD are left for your calls. Please top up so that you can go on calling.',
        '',
        'Acme Telecom',
      ].join('\n'),
    },
  ])
})

test.each([
  ['de', 'Ihr Guthaben ist aufgebraucht', 'Guten Tag Bob Brown,'],
  ['fr', 'Votre solde est épuisé', 'Bonjour Bob Brown,'],
  ['es', 'Su saldo se ha agotado', 'Hola, Bob Brown:'],
])('a customer is written to in its language: %s', async (language, subject, hello) => {
  const { add, tell } = await mailing({ email: 'bob@example.com', language })
  await add('mailto:customer', BALANCE_EVENTS)

  const [mail] = mailsOf(await tell('balance.exhausted', 10))

  expect([mail?.subject, mail?.text.split('\n')[0]]).toEqual([subject, hello])
})

test('customers without an address, those of resellers, and events of no account get no mail', async () => {
  const { add, tell } = await mailing({ email: '' })
  await add('mailto:customer', BALANCE_EVENTS)
  await add('mailto:operator', [...BALANCE_EVENTS, 'suspense.grown'])

  expect(mailsOf(await tell('balance.low', 10)).map((mail) => mail?.by)).toEqual(['SNS'])
  expect(mailsOf(await tell('balance.low', 999)).map((mail) => mail?.subject)).toEqual(['Low balance'])
  const ofReseller = await mailing({ email: 'bob@example.com', owner_id: '3' })
  await ofReseller.add('mailto:customer', BALANCE_EVENTS)
  expect(await ofReseller.tell('balance.low', 10, 3)).toEqual([])
})

test('a name with line breaks, or a long one, is a subject that SNS takes', async () => {
  const { add, tell } = await mailing({ first_name: 'A\r\nBcc: x@example.com', last_name: 'é'.repeat(300) })
  await add('mailto:operator', BALANCE_EVENTS)

  const [mail] = mailsOf(await tell('balance.low', 10))

  expect(mail?.subject).toMatch(/^Low balance: A {2}Bcc: x@example\.com é+$/)
  expect([...(mail?.subject ?? '')].length).toBeLessThan(100)
})

test('a reseller has no mails, and customers get only what they understand', async () => {
  const { add } = await mailing()

  await expect(add('mailto:operator', BALANCE_EVENTS, 3)).rejects.toThrow(
    'Only admins have endpoints for mails',
  )
  const others = add('mailto:customer', ['balance.low', 'suspense.grown'])
  await expect(others).rejects.toThrow('not of suspense.grown')
  expect(await add('mailto:operator', ['suspense.grown'])).toMatchObject({ url: 'mailto:operator' })
})

test('without the address that mails come from, an endpoint for mails is refused with the setting', async () => {
  const { add, store } = await mailing()
  await store.update(settingsKey, { set: { Mail_From: '' } })

  await expect(add('mailto:operator', BALANCE_EVENTS)).rejects.toMatchObject({ code: 'mails_off' })
})

test('a test and a repeated mail go the same way; an event is never posted to a mail', async () => {
  const { add, relay, tell, messages, store, now, services } = await mailing()
  const both = [await add('mailto:operator', BALANCE_EVENTS), await add('mailto:customer', BALANCE_EVENTS)]
  for (const one of both) if (typeof one !== 'string') await store.transact([inOutbox(testOf(one, now), now)])
  await relay()
  expect(mailsOf(messages.splice(0)).map((mail) => [mail?.by, mail?.to])).toEqual(
    expect.arrayContaining([
      ['SNS', ''],
      ['SES', ''],
    ]),
  )

  const [message] = await tell('balance.low', 10)
  const { endpoint, owner, event } = message as WebhookMessage
  const delivery = { ...event, endpoint, owner, at: 0, tries: 1, tried_at: '', answer: '', milliseconds: 0 }
  await store.transact([inOutbox(againOf({ ...delivery, outcome: 'failed' }), now)])
  await relay()
  expect(messages).toEqual([{ ...message, event: { ...event, only: endpoint } }])

  const answers: unknown[] = []
  const send = webhookSender({
    ...services,
    post: async () => {
      throw new Error('posted')
    },
    hide: async (_, seconds) => answers.push(seconds),
    isLocal: false,
  })
  const attributes = { ApproximateReceiveCount: '1' }
  await send({ Records: [{ messageId: '1', body: JSON.stringify(message), attributes }] as never })
  expect(answers).toEqual([5])
})
