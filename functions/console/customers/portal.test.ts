import { describe, expect, test } from 'vitest'
import { addWebhook } from '#lib/alerts/endpoint-acts.ts'
import { putBrand } from '#lib/invoicing/documents/brand.ts'
import { listNewestLogEntries } from '#lib/settings/audit-log.ts'
import { carriedOut } from '#test/acts/carry-out.ts'
import { aConsoleClient, aSignedClient, type ConsoleClient } from '#test/console/console-client.ts'
import { estates } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

/** The details that an account may change of itself, by name. */
async function ownDetails(client: ConsoleClient) {
  const { settings } = (await client.get('/own/details')).body as {
    settings: readonly { readonly name: string; readonly value: string }[]
  }
  return Object.fromEntries(settings.map(({ name, value }) => [name, value]))
}

type Rows = Readonly<Record<string, unknown>>[]

const call = (index: number, day: string, price: string) => ({
  uniqueid: `own-${index}`,
  calldate: `${day} 12:00:00`,
  src: '37000001',
  dst: '37060012345',
  disposition: 'ANSWERED',
  duration: '60',
  billsec: '60',
  hangupcause: '16',
  user_id: '10',
  user_price: price,
})

const rates = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    tariff_id: '3010',
    direction: 'X',
    destination: index % 50 ? `Place ${index}` : `Germany Mobile ${index}`,
    prefix: String(10_000 + index),
    tariff_rate: '0.05',
    daytype: 'weekday',
    start_time: '08:00:00',
    end_time: '19:59:59',
  }))

/** A world in which bob, a customer of the operator, is signed in. */
async function signedIn(settings: Parameters<typeof aWorld>[1] = {}) {
  const world = await aWorld(estates, settings)
  return { world, bob: await aSignedClient(world, 'bob') }
}

describe('the page of a customer', () => {
  test('names where a call went by the longest prefix of its tariff that has a name', async () => {
    const { world, bob } = await signedIn()
    const named = [
      ['370', 'Lithuania'],
      ['3706', 'Lithuania mobile'],
      ['37060', ''],
    ].map(([prefix = '', destination = '']) => ({
      ...{ tariff_id: '3010', prefix, destination, tariff_rate: '0.05' },
    }))
    await world.given({ rates: named, calls: [call(1, '2026-03-09', '1')] })

    const { body } = await bob.get('/calls', { from: '2026-03-09', till: '2026-03-09', destinations: 'yes' })

    expect(body).toMatchObject({ calls: [{ destination: 'Lithuania mobile' }] })
  })

  test('begins with the language and the seller of the account', async () => {
    const { world, bob } = await signedIn({ Language: 'fr', Seller_Name: 'Example Telecom' })
    const seller = { id: 0, name: 'Example Telecom' }

    expect((await bob.get('/session')).body).toMatchObject({
      sections: [],
      portal: { language: 'fr', seller },
    })
    expect((await bob.send('PUT', '/own/details', { language: 'es' })).status).toBe(200)
    expect((await bob.get('/session')).body['portal']).toEqual({
      ...{ language: 'es', seller },
      leastPassword: 8,
      isStrongPassword: false,
    })
    const rick = await aSignedClient(world, 'rick')
    expect((await rick.get('/session')).body['portal']).toBeNull()
    expect((await rick.send('PUT', '/own/details', { language: 'de' })).status).toBe(200)
    expect(await ownDetails(rick)).toMatchObject({ language: 'de', email: '', password: '' })
    const numbered = (invoice_number_format: string) =>
      rick.send('PUT', '/own/details', { invoice_number_format })
    expect((await numbered('RR-{year}')).status).toBe(400)
    expect((await numbered('RR-{year}-{n}')).status).toBe(200)
    const { page } = (await rick.get('/document-files/sample', { invoice_number_format: 'RS-{n}' })).body
    expect(page).toContain('RS-1')
    const { settings: shown } = (await rick.get('/own/details')).body
    const closed = (shown as Rows).filter(({ mayChange }) => !mayChange).map(({ name }) => name)
    expect(closed).toEqual(['vat_number', 'taxation_country'])
    const ofEmail = (shown as Rows).filter(({ group }) => group === 'Email').map(({ name }) => name)
    expect(ofEmail).toEqual(['email', 'password'])
    expect(await damageIn(world)).toEqual([])
  })

  test('says what is to be paid, and how: a code for a transfer in euros', async () => {
    const bank = 'Bank of Examples\nDE02 1203 0000 0000 2020 51'
    const { world, bob } = await signedIn({ Seller_Name: 'Example Telecom', Seller_Bank: bank })
    const invoice = (id: string, currency: string, status = 'unpaid') => ({
      ...{ id, user_id: '10', number: `R-${id}`, issue_date: `2026-03-0${id}`, due_date: `2026-03-1${id}` },
      ...{ price: '100', price_with_vat: '119', currency, status },
    })
    await world.given({
      invoices: [invoice('1', 'EUR'), invoice('2', ''), invoice('3', 'EUR', 'paid')],
    })

    const { body } = await bob.get('/own/dues')

    expect(body).toMatchObject({ seller: { name: 'Example Telecom', bank }, reminders: [] })
    const found = body['invoices'] as Rows
    expect(found.filter(({ number }) => String(number).startsWith('R-'))).toEqual([
      {
        ...{ id: 1, number: 'R-1', due: '2026-03-11', open: '119.00', currency: 'EUR' },
        code: { side: expect.any(Number), path: expect.stringMatching(/^M0 0h1v1h-1z/) },
        byCard: false,
      },
      {
        ...{ id: 2, number: 'R-2', due: '2026-03-12', open: '119.00', currency: 'USD', code: null },
        byCard: false,
      },
    ])
  })

  test('sets where its e-invoices go, or that they go nowhere', async () => {
    const { world, bob } = await signedIn()
    const set = (electronic_address: string) => bob.send('PUT', '/own/details', { electronic_address })

    expect((await set('0208:0123456749')).status).toBe(200)
    expect(await set('0123456749')).toMatchObject({ status: 400 })
    expect(await ownDetails(bob)).toMatchObject({ electronic_address: '0208:0123456749' })
    expect((await set('')).status).toBe(200)
    expect(await ownDetails(bob)).toMatchObject({ electronic_address: '' })
    expect(await damageIn(world)).toEqual([])
  })

  test('sets its postal address and its phone, logged, but nothing that decides its VAT or its prices', async () => {
    const { world, bob } = await signedIn()

    expect((await bob.send('PUT', '/own/details', { address: '1 Street', city: 'Bonn' })).status).toBe(200)
    expect(await ownDetails(bob)).toMatchObject({ address: '1 Street', city: 'Bonn', postcode: '' })
    for (const name of [
      'company_name',
      'vat_number',
      'taxation_country',
      'vat_percent',
      'credit',
      'username',
    ])
      expect([name, (await bob.send('PUT', '/own/details', { [name]: '1' })).status]).toEqual([name, 400])
    expect((await listNewestLogEntries(world.store, 10)).map(({ who, ...entry }) => [who, entry])).toEqual([
      ['bob', expect.objectContaining({ account: 'bob', did: 'changed address, city' })],
    ])
    expect(await damageIn(world)).toEqual([])
  })

  test('sets its details whoever sells to it', async () => {
    const { world } = await signedIn()
    const carol = await aSignedClient(world, 'carol')

    expect((await carol.send('PUT', '/own/details', { city: 'Bonn', language: 'de' })).status).toBe(200)
    expect(await ownDetails(carol)).toMatchObject({ city: 'Bonn', language: 'de' })
    expect(await damageIn(world)).toEqual([])
  })

  test('has thresholds of alerts where mails to itself are all that they decide', async () => {
    const { world, bob } = await signedIn({ Balance_From: '2026-01-01', Mail_From: 'x@y.example' })

    const expectNoThresholds = async () => {
      expect(await ownDetails(bob)).not.toHaveProperty('alert_at')
      expect((await bob.send('PUT', '/own/details', { alert_at: '' })).status).toBe(400)
    }
    const add = (url: string, events: string) =>
      carriedOut({ store: world.store, now: world.now }, addWebhook, { url, events })
    await expectNoThresholds()
    await add('mailto:customer', 'balance.low')
    expect((await bob.send('PUT', '/own/details', { alert_at: '20' })).status).toBe(200)
    expect(await ownDetails(bob)).toMatchObject({ alert_at: '20' })
    for (const values of [{ alert_at: 'twenty' }, { language: 'it' }])
      expect((await bob.send('PUT', '/own/details', values)).status).toBe(400)
    await add('mailto:operator', 'balance.exhausted')
    await expectNoThresholds()
  })

  test('has what calls and subscriptions cost in this month, and the balance', async () => {
    const { world, bob } = await signedIn({ Balance_From: '2026-02-01' })
    await world.given({
      calls: [call(1, '2026-02-27', '7'), call(2, '2026-03-02', '1.25'), call(3, '2026-03-09', '2')],
    })

    const { body } = await bob.get('/own/month')

    expect(body).toMatchObject({ month: '2026-03', currency: 'USD', fees: '0.0000', callMoney: null })
    expect(Number(body['spent'])).toBeGreaterThanOrEqual(3.25)
    expect(Number(body['spent'])).toBeLessThan(7)
    const { months } = (await bob.get('/own/months')).body as { months: Rows }
    expect(months.map(({ month }) => month)).toEqual([
      ...['2025-04', '2025-05', '2025-06', '2025-07', '2025-08', '2025-09', '2025-10', '2025-11', '2025-12'],
      ...['2026-01', '2026-02', '2026-03'],
    ])
    expect(months.at(-1)).toEqual({ month: '2026-03', spent: body['spent'], fees: body['fees'] })
    expect(Number(months.at(-2)?.['spent'])).toBeGreaterThanOrEqual(7)
    await world.set({ Balance_From: '' })
    expect((await bob.get('/own/month')).body['balance']).toBeNull()
  })

  test('reads what was spent in a year of daily calls for about 10 units', async () => {
    const { world, bob } = await signedIn()
    const dayBefore = (days: number) => new Date(world.now.getTime() - days * 86_400_000).toISOString()
    const calls = Array.from({ length: 340 }, (_, at) => call(at, dayBefore(at).slice(0, 10), '1'))
    await world.given({ calls })

    expect((await bob.get('/own/months')).status).toBe(200)
    expect((world.log.at(-1) as { read_units: number }).read_units).toBeLessThan(12)
  })

  test('has the price list in parts, found by digits or by the name of a destination', async () => {
    const { world, bob } = await signedIn()
    await world.given({ rates: rates(230) })
    const prefixes: unknown[] = []
    let after: unknown = ''
    for (; after !== null; ) {
      const { body } = await bob.get('/own/rates', { after: String(after) })
      prefixes.push(...(body['rates'] as Rows).map(({ prefix }) => prefix))
      after = body['next']
    }

    expect(prefixes).toEqual(rates(230).map(({ prefix }) => prefix))
    const found = async (search: string) => (await bob.get('/own/rates', { search })).body['rates'] as Rows
    expect((await found('germany mob')).map(({ prefix }) => prefix)).toEqual([
      '10000',
      '10050',
      '10100',
      '10150',
      '10200',
    ])
    expect((await found('+1022')).map(({ prefix }) => prefix)).toEqual(
      rates(10).map((_, index) => `1022${index}`),
    )
    expect(await found('nowhere')).toEqual([])
    expect((await found('10001'))[0]).toMatchObject({
      days: 'weekday',
      from: '08:00:00',
      till: '19:59:59',
      since: null,
    })
  })

  test('shows devices without secrets, and no hidden ones; a secret comes alone, unlogged', async () => {
    const { world, bob } = await signedIn({ Server_IP: 'sip.example.com' })
    const device = { user_id: '10', device_type: 'SIP', secret: 'a-secret-1' }
    await world.given({
      devices: [
        { ...device, id: '1', name: 'seen', username: 'seen' },
        { ...device, id: '2', name: 'unseen', username: 'unseen', hidden: '1' },
      ],
    })

    const { body } = await bob.get('/own/devices')
    const secret = await bob.get('/own/devices/1/secret')

    expect(body['server']).toBe('sip.example.com')
    expect((body['devices'] as Rows).map(({ username }) => username)).toEqual(['seen', 'phone-of-10'])
    expect(JSON.stringify(body)).not.toContain('a-secret-1')
    expect(secret.body).toEqual({ secret: 'a-secret-1' })
    expect(secret.headers['Cache-Control']).toBe('no-store')
    expect((await bob.get('/own/devices/2/secret')).status).toBe(404)
    expect((await bob.get('/own/devices/x/secret')).status).toBe(404)
    expect(JSON.stringify(world.log)).not.toContain('a-secret-1')
    expect(JSON.stringify((await bob.get('/customers/10')).body['devices'])).not.toContain('unseen')
  })
})

describe('a page that is switched off', () => {
  test('refuses a customer that signs in, and one that has, in words of its own', async () => {
    const { world, bob } = await signedIn()
    await world.set({ Customer_Page: '0' })

    for (const { status, body } of [await bob.get('/session'), await aConsoleClient(world).signIn('bob')])
      expect([status, body]).toMatchObject([403, { error: { code: 'page_off' } }])
    expect((await aConsoleClient(world).signIn('bob', 'wrong')).status).toBe(401)
    expect((await aConsoleClient(world).signIn('rick')).status).toBe(200)
    expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('SESSION#'))).toHaveLength(2)
  })
})

describe('the brand of a seller', () => {
  const brandOf = async (world: World, seller?: number) =>
    (await aConsoleClient(world).get('/brand', seller === undefined ? {} : { seller })).body

  test('is that of the operator, and that of a reseller who has set one', async () => {
    const world = await aWorld(estates)
    await world.set({ Seller_Name: 'Example Telecom', Language: 'de' })
    const brand = { logo: 'data:image/png;base64,AA==', colour: '#0a7d5a' }
    const nothing = { name: '', logo: '', colour: '', language: 'de' }

    expect(await brandOf(world)).toEqual({ ...nothing, name: 'Example Telecom' })
    expect(await brandOf(world, 2)).toEqual(nothing)
    for (const id of [2, 10]) await world.store.transact(putBrand(id, { ...brand, footer: 'HRB 1' }))
    expect(await brandOf(world, 2)).toMatchObject({ ...brand, name: expect.stringMatching(/./) })
    for (const other of [10, 99]) expect(await brandOf(world, other)).toEqual(nothing)
  })

  test('is read in one round trip more than the settings, and a wrong seller is refused', async () => {
    const world = await aWorld(estates)
    await brandOf(world, 2)

    expect(world.log.at(-1)).toMatchObject({ method: 'console_portal', round_trips: 2 })
    expect((await aConsoleClient(world).get('/brand', { seller: 'x' })).status).toBe(422)
  })
})
