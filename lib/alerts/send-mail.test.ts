import { CreateConfigurationSetCommand, CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2'
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns'
import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { motoIsSkipped, startMoto } from '#test/queue/moto.ts'
import { aServer } from '#test/server.ts'
import { MAILS_ARE_OFF } from './mail.ts'
import { mailSender } from './send-mail.ts'

const MAIL = { to: '', subject: 'Low balance: Zoë', text: 'left: 14.5' }

test('without an address of the sender and a topic, no mail is sent', async () => {
  const send = mailSender({})

  expect([await send({ by: 'SNS', ...MAIL }), await send({ by: 'SES', ...MAIL })]).toEqual([
    MAILS_ARE_OFF,
    MAILS_ARE_OFF,
  ])
})

test.skipIf(motoIsSkipped)(
  'SNS gets the mail of the operator, and SES that of the customer',
  async () => {
    const endpoint = await startMoto()
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint)
    onTestFinished(() => void vi.unstubAllEnvs())
    const config = { region: 'eu-central-1', credentials: { accessKeyId: 'key', secretAccessKey: 'key' } }
    vi.stubEnv('AWS_REGION', config.region)
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key')
    const [sns, sqs, ses] = [new SNSClient(config), new SQSClient(config), new SESv2Client(config)]
    const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'mails' }))
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'mailbox' }))
    const Endpoint = 'arn:aws:sqs:eu-central-1:123456789012:mailbox'
    await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }))
    const send = mailSender({
      ...{ MAIL_TOPIC_ARN: TopicArn, MAIL_FROM: 'billing@example.com', MAIL_CONFIGURATION: 'mails' },
    })
    await ses.send(new CreateConfigurationSetCommand({ ConfigurationSetName: 'mails' }))

    expect(await send({ by: 'SNS', ...MAIL })).toMatchObject({ status: 200 })
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
    expect(JSON.parse(String(Messages[0]?.Body))).toMatchObject({ Subject: MAIL.subject, Message: MAIL.text })

    expect(await send({ by: 'SES', ...MAIL, to: 'zoe@example.com' })).toEqual({ error: 'MessageRejected' })
    await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: 'billing@example.com' }))
    const attachments = [{ name: 'A-1.pdf', type: 'application/pdf', content: Buffer.from('%PDF-1') }]
    const from = { name: 'Nördwind', replyTo: 'sales@example.com' }
    const messageId = '<INVOICE.10.3.0123@example.com>'
    const mail = { by: 'SES', ...MAIL, to: 'zoe@example.com', from, messageId, attachments } as const
    expect(await send(mail)).toEqual({ status: 200, id: expect.stringMatching(/.+/) })
    const sent = await (await fetch(`${endpoint}/moto-api/data.json`)).text()
    expect(sent).toContain('zoe@example.com')
    expect(sent).toContain('=?UTF-8?B?TsO2cmR3aW5k?= <billing@example.com>')
  },
  60_000,
)

test('the mail of a document carries its name to the events of SES, another one does not', async () => {
  const server = await aServer((_, response) => response.end(JSON.stringify({ MessageId: 'EXAMPLE7c19' })))
  for (const [name, value] of Object.entries({
    ...{ AWS_ENDPOINT_URL: server.origin, AWS_REGION: 'eu-central-1' },
    ...{ AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'key' },
  }))
    vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const send = mailSender({ MAIL_FROM: 'billing@example.com', MAIL_CONFIGURATION: 'tollgate-prod-mails' })
  const mail = { by: 'SES', ...MAIL, to: 'zoe@example.com' } as const

  expect(await send({ ...mail, messageId: '<INVOICE.10.3.0123@example.com>' })).toMatchObject({ status: 200 })
  await send(mail)
  const [tagged = {}, plain = {}] = server.arrived.map(({ body }) => JSON.parse(body) as object)
  expect(tagged).toMatchObject({
    ConfigurationSetName: 'tollgate-prod-mails',
    EmailTags: [{ Name: 'tollgate_mail', Value: 'INVOICE-10-3-0123' }],
  })
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['EmailTags']))
})
