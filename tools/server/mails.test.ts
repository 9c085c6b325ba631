import { expect, onTestFinished, test } from 'vitest'
import { MAILS_ARE_OFF } from '#lib/alerts/mail.ts'
import { aMailServer } from '#test/invoicing/a-mail-server.ts'
import { smtpSender } from './mails.ts'

const MAIL = {
  by: 'SES',
  to: 'carol@dent.example',
  subject: 'Größe\r\nBcc: x@y.example',
  text: 'Grüße',
} as const

const SETTINGS = {
  ...{ Mail_From: 'billing@northwind.example', Mail_Server: '' },
  ...{ Mail_User: '', Mail_Password: '' },
}

async function aServer(password?: string, isOverTls?: boolean) {
  const server = await aMailServer(password, isOverTls)
  onTestFinished(server.stop)
  const smtp = smtpSender()
  onTestFinished(smtp.close)
  return { ...server, send: smtp.send, settings: { ...SETTINGS, Mail_Server: server.setting } }
}

test('a user and a password are given to the server that asks for them, and are told by nothing', async () => {
  const { send, settings, mails } = await aServer('open sesame')

  const wrong = await send(MAIL, { ...settings, Mail_User: 'tollgate', Mail_Password: 'open barley' })
  expect(wrong).toMatchObject({ kind: 'temporary', error: expect.stringContaining('535') })
  expect(JSON.stringify(wrong)).not.toContain('barley')
  const right = { ...settings, Mail_User: 'tollgate', Mail_Password: 'open sesame' }
  expect(await send(MAIL, right)).toMatchObject({ status: 200 })
  expect(mails).toMatchObject([{ user: 'tollgate', to: MAIL.to }])
})

test('a server whose certificate nobody vouches for gets neither password nor mail', async () => {
  const { send, settings, mails } = await aServer('open sesame', true)

  const outcome = await send(MAIL, { ...settings, Mail_User: 'tollgate', Mail_Password: 'open sesame' })
  expect(outcome).toEqual({ kind: 'temporary', error: 'certificate has expired' })
  expect(mails).toEqual([])
})

test('a subject of two lines makes no other recipient', async () => {
  const { send, settings, mails } = await aServer()

  await send(
    { ...MAIL, from: { name: 'A\r\nBcc: x@y.example', replyTo: 'sales@northwind.example' } },
    settings,
  )
  const [{ to, text } = { to: '', text: '' }] = mails
  expect(to).toBe(MAIL.to)
  expect(text).not.toMatch(/^Bcc/m)
  expect(text).toMatch(/^Reply-To: sales@northwind.example/m)
})

test('a server that is not there is asked again, and mails without one are off', async () => {
  const smtp = smtpSender()
  onTestFinished(smtp.close)

  expect(await smtp.send(MAIL, { ...SETTINGS, Mail_Server: '127.0.0.1:9' })).toMatchObject({
    kind: 'temporary',
  })
  expect(await smtp.send(MAIL, SETTINGS)).toBe(MAILS_ARE_OFF)
})

test('what the operator is told goes to the sender', async () => {
  const { send, settings, mails } = await aServer()

  await send({ ...MAIL, by: 'SNS', to: '' }, settings)
  expect(mails[0]?.to).toBe(SETTINGS.Mail_From)
})
