import { SESv2Client, type SESv2ServiceException, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
import { attempts, functionConfig } from '#lib/table/requests/aws-config.ts'
import { MAIL_TAG, MAILS_ARE_OFF, type Mail, type MailFile, type MailOutcome, type SendMail } from './mail.ts'

/**
 * Sends mails: the operator's to the topic MAIL_TOPIC_ARN, to which SNS has mail addresses subscribed, the
 * customer's from the address MAIL_FROM through SES. MAIL_CONFIGURATION has events of those with an id.
 */
export function mailSender(environment: NodeJS.ProcessEnv): SendMail {
  const config = { ...attempts, ...functionConfig(environment) }
  const { MAIL_TOPIC_ARN, MAIL_FROM, MAIL_CONFIGURATION } = environment
  const sns = MAIL_TOPIC_ARN ? new SNSClient(config) : undefined
  const ses = MAIL_FROM ? new SESv2Client({ ...config, ...ONCE }) : undefined
  const request = async (mail: Mail): Promise<MailOutcome> => {
    const answer =
      mail.by === 'SNS'
        ? await sns?.send(
            new PublishCommand({ TopicArn: MAIL_TOPIC_ARN, Subject: mail.subject, Message: mail.text }),
          )
        : await ses?.send(sesMail(mail, String(MAIL_FROM), MAIL_CONFIGURATION))
    return answer ? { status: 200, id: answer.MessageId } : MAILS_ARE_OFF
  }
  return (mail) => request(mail).catch(outcomeOf)
}

/** A repeated request is a second mail. The files of one take a moment to reach SES. */
const ONCE = { maxAttempts: 1, requestHandler: { socketTimeout: 30_000 } } as const

/** Names such as MessageRejected: the messages of SES have addresses. */
function outcomeOf(error: unknown): MailOutcome {
  const { name = 'no answer', $metadata } = error as Partial<SESv2ServiceException>
  const status = $metadata?.httpStatusCode ?? 0
  if (status === TOO_MANY || THROTTLED.test(name)) return { error: name, kind: 'temporary' }
  return status >= 400 && status < 500 ? { error: name } : { error: name, kind: 'in doubt' }
}

const TOO_MANY = 429

const THROTTLED = /^(Throttling|TooManyRequests|LimitExceeded)/

/** A tag has letters, digits, `_` and `-` (SES API v2, MessageTag). */
const tagOf = (messageId: string) => {
  const [name = ''] = messageId.replace('<', '').split('@')
  return [{ Name: MAIL_TAG, Value: name.replaceAll('.', '-') }]
}

const sesMail = (
  { to, subject, text, from, messageId, attachments = [] }: Mail,
  address: string,
  ConfigurationSetName: string | undefined,
) =>
  new SendEmailCommand({
    ...(messageId && ConfigurationSetName && { ConfigurationSetName, EmailTags: tagOf(messageId) }),
    FromEmailAddress: from?.name ? `${encodedName(from.name)} <${address}>` : address,
    ...(from?.replyTo && { ReplyToAddresses: [from.replyTo] }),
    Destination: { ToAddresses: [to || address] },
    Content: {
      Simple: {
        Subject: { Data: subject, Charset: 'UTF-8' },
        Body: { Text: { Data: text, Charset: 'UTF-8' } },
        ...(attachments.length > 0 && { Attachments: attachments.map(sesFile) }),
      },
    },
  })

const sesFile = ({ name, type, content }: MailFile) => ({
  FileName: name,
  ContentType: type,
  RawContent: content,
  ContentTransferEncoding: 'BASE64' as const,
})

/** A word of RFC 2047 has at most 75 characters. */
const encodedName = (name: string): string =>
  `=?UTF-8?B?${Buffer.from([...name].slice(0, 12).join('')).toString('base64')}?=`
