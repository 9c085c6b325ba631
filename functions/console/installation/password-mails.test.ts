import { expect, test } from 'vitest'
import type { Mail } from '#lib/alerts/mail.ts'
import { sendDueMails } from '#lib/invoicing/mails/send-mails.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { aConsoleClient, aSignedClient, type ConsoleClient } from '#test/console/console-client.ts'
import { estates, passwordOf } from '#test/examples/estates.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const ON = { Mail_From: 'x@y.example', Page_Address: 'https://pay.example.com/prod/', Customer_Page: '1' }

const EMAILS: Readonly<Record<string, string>> = { bob: 'bob@x.example', alice: 'alice@x.example' }

async function anInstallation(settings: Readonly<Record<string, string>> = ON) {
  const users = (estates.users ?? []).map((user) => ({ ...user, email: EMAILS[String(user.username)] ?? '' }))
  const world = await aWorld({ ...estates, users }, settings)
  return { world, client: aConsoleClient(world) }
}

/** Sends what waits. Returns the mails. */
async function sent({ store, ...world }: World): Promise<Mail[]> {
  const mails: Mail[] = []
  const send = async (mail: Mail) => {
    mails.push(mail)
    return { status: 200 }
  }
  const source = {
    store,
    settings: await settingsOf(store),
    bucket: undefined as never,
    clock: () => world.now,
  }
  await sendDueMails({ ...source, send })
  return mails
}

const tokenIn = ([mail]: readonly Mail[]): string =>
  /https:\/\/pay\.example\.com\/prod\/#\/password\/([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? ''

const choose = (client: ConsoleClient, token: string, wanted = 'a whole new password') =>
  client.send('POST', '/session/password', { token, wanted })

test('a forgotten password is chosen once by the link of a mail, and ends every session', async () => {
  const { world, client } = await anInstallation()
  const bob = await aSignedClient(world, 'bob')
  expect(await client.send('POST', '/session/forgotten', { username: 'bob' })).toMatchObject({ body: {} })
  const admin = await aSignedClient(world, 'admin')
  const open = [{ kind: 'passwords', number: 'bob', state: 'waiting' }]
  expect((await admin.get('/documents/mails')).body).toMatchObject({ mails: open })
  const mails = await sent(world)
  const token = tokenIn(mails)

  expect(mails).toMatchObject([{ to: 'bob@x.example' }])
  expect(JSON.stringify(await world.dump())).not.toContain(token)
  expect(await choose(client, token, 'x')).toMatchObject({ status: 422 })
  expect(await choose(client, token)).toMatchObject({ status: 200, body: { username: 'bob' } })
  expect(await choose(client, token)).toMatchObject({ status: 401 })
  expect((await bob.get('/session')).status).toBe(401)
  expect((await client.signIn('bob', 'a whole new password')).status).toBe(200)
  expect(await damageIn(world)).toEqual([])
})

test('of two requests with one link, one chooses the password', async () => {
  const { world, client } = await anInstallation()
  await client.send('POST', '/session/forgotten', { username: 'bob' })
  const token = tokenIn(await sent(world))
  const answers = await Promise.all([
    choose(client, token, 'first password'),
    choose(client, token, 'second password'),
  ])

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
})

test.each(['nobody', 'alice', 'admin', 'ben', ''])(
  'nothing tells whether %s has a mail, and none is sent',
  async (username) => {
    const { world, client } = await anInstallation()
    const known = await client.send('POST', '/session/forgotten', { username: 'bob' })
    const other = await client.send('POST', '/session/forgotten', { username })

    expect([other.status, other.body]).toEqual([known.status, known.body])
    expect((await sent(world)).map(({ to }) => to)).toEqual(['bob@x.example'])
  },
)

test('every name costs the same reads and writes', async () => {
  const { world } = await anInstallation()
  const spent = async (username: string) => {
    const meters: { readonly spent: { readonly read: number; readonly write: number } }[] = []
    const openStore: World['services']['openStore'] = (meter) => {
      meters.push(meter)
      return world.services.openStore(meter)
    }
    const client = aConsoleClient({ ...world, services: { ...world.services, openStore } })
    await client.send('POST', '/session/forgotten', { username })
    return meters.map(({ spent: { write } }) => write)
  }

  await spent('bob')
  const [again, nobody] = [await spent('bob'), await spent('nobody')]
  expect(again).toEqual(nobody)
})

test('a mail for an account is asked for once in ten minutes, and an address asks 30 times', async () => {
  const { world, client } = await anInstallation()
  const ask = (username: string) => client.send('POST', '/session/forgotten', { username })
  await ask('bob')
  await ask('bob')
  expect(await sent(world)).toHaveLength(1)
  for (let at = 0; at < 28; at += 1) expect((await ask(`name${at}`)).status).toBe(200)

  expect(await ask('name')).toMatchObject({
    status: 429,
    body: { error: { message: 'Too many attempts: wait 10 seconds, then try again.' } },
  })
})

test('a link is no session, a session no link, and a link ends after its hour or with the account', async () => {
  const { world, client } = await anInstallation()
  await client.send('POST', '/session/forgotten', { username: 'bob' })
  const token = tokenIn(await sent(world))
  const bob = await aSignedClient(world, 'bob')
  const session = bob.cookie.split('.')[1] ?? ''
  const forged = aConsoleClient(world)
  forged.cookie = bob.cookie.replace(session, token)

  expect((await forged.get('/session')).status).toBe(401)
  expect(await choose(client, session)).toMatchObject({ status: 401 })
  world.now = new Date(world.now.getTime() + 3_601_000)
  expect(await choose(client, token)).toMatchObject({ status: 401 })
})

test.each([{ email: 'bob@elsewhere.example' }, { usertype: 'accountant' }])(
  'with %o, a link of an account has ended, and a mail that waits is not sent',
  async (change) => {
    const { world, client } = await anInstallation()
    const ask = () => client.send('POST', '/session/forgotten', { username: 'bob' })
    await ask()
    const token = tokenIn(await sent(world))
    world.now = new Date(world.now.getTime() + 601_000)
    await ask()
    const admin = await aSignedClient(world, 'admin')

    expect(await admin.send('PUT', '/records/accounts/10', change)).toMatchObject({ status: 200 })
    expect(await sent(world)).toEqual([])
    expect(await choose(client, token)).toMatchObject({ status: 401 })
  },
)

test('an operator invites its customers alone, and the link works for a week', async () => {
  const { world, client } = await anInstallation()
  const admin = await aSignedClient(world, 'admin')
  const rick = await aSignedClient(world, 'rick')

  expect(await admin.send('POST', '/customers/10/invite')).toMatchObject({ body: { to: 'bob@x.example' } })
  expect(await admin.send('POST', '/customers/1/invite')).toMatchObject({ status: 409 })
  expect(await admin.send('POST', '/customers/20/invite')).toMatchObject({ status: 409 })
  expect((await admin.send('POST', '/customers/0/invite')).body).toMatchObject({
    error: { message: 'admin is your own account: another one changes it.' },
  })
  expect(await rick.send('POST', '/customers/10/invite')).toMatchObject({ status: 404 })
  const mails = await sent(world)
  world.now = new Date(world.now.getTime() + 6 * 86_400_000)
  expect(await choose(client, tokenIn(mails))).toMatchObject({ status: 200 })
})

test.each([
  ['Mail_From', { ...ON, Mail_From: '' }],
  ['Page_Address', { ...ON, Page_Address: '' }],
])('without %s, every name is refused in the same words', async (setting, settings) => {
  const { client } = await anInstallation(settings)
  const answers = await Promise.all(
    ['bob', 'nobody'].map((username) => client.send('POST', '/session/forgotten', { username })),
  )

  expect(answers[0]).toMatchObject({ status: 409, body: { error: { remedy: { setting } } } })
  expect(answers[1]?.body).toEqual(answers[0]?.body)
})

test('another email needs the present password, and each earlier address is told', async () => {
  const { world } = await anInstallation()
  const bob = await aSignedClient(world, 'bob')
  const set = (email: string, password = '') => {
    world.now = new Date(world.now.getTime() + 1000)
    return bob.send('PUT', '/own/details', { email, ...(password && { password }) })
  }

  expect((await set('thief@y.example')).status).toBe(401)
  expect((await set('thief@y.example', 'wrong')).status).toBe(401)
  expect((await set('nothing', passwordOf('bob'))).status).toBe(400)
  expect(await set('alice@x.example', passwordOf('bob'))).toMatchObject({
    body: { error: { fields: [{ name: 'email', message: 'Email is taken already' }] } },
  })
  expect(await sent(world)).toEqual([])
  for (const email of ['one@y.example', 'two@y.example', ''])
    expect((await set(email, passwordOf('bob'))).status).toBe(200)
  const mails = await sent(world)
  expect(mails.map(({ to }) => to).sort()).toEqual(['bob@x.example', 'one@y.example', 'two@y.example'])
  expect(mails[0]?.text).toContain('Your account bob has another email now')
  expect(await damageIn(world)).toEqual([])
})
