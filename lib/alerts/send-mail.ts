import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
import { attempts, functionConfig } from '#lib/table/requests/aws-config.ts'
import { MAILS_ARE_OFF, type Mail, type SendMail } from './mail.ts'

/**
 * Sends mails: the operator's to the topic MAIL_TOPIC_ARN, to which SNS has mail addresses subscribed, the
 * customer's from the address MAIL_FROM through SES. Never throws.
 */
export function mailSender(environment: NodeJS.ProcessEnv): SendMail {
  const config = { ...attempts, ...functionConfig(environment) }
  const { MAIL_TOPIC_ARN, MAIL_FROM } = environment
  const sns = MAIL_TOPIC_ARN ? new SNSClient(config) : undefined
  const ses = MAIL_FROM ? new SESv2Client(config) : undefined
  const request = (mail: Mail) =>
    mail.by === 'SNS'
      ? sns?.send(new PublishCommand({ TopicArn: MAIL_TOPIC_ARN, Subject: mail.subject, Message: mail.text }))
      : ses?.send(sesMail(mail, String(MAIL_FROM)))
  return async (mail) => {
    try {
      return (await request(mail)) ? { status: 200 } : MAILS_ARE_OFF
    } catch (error) {
      // Names such as MessageRejected: the messages of SES have addresses.
      return { error: error instanceof Error ? error.name : 'no answer' }
    }
  }
}

const sesMail = ({ to, subject, text }: Mail, from: string) =>
  new SendEmailCommand({
    FromEmailAddress: from,
    Destination: { ToAddresses: [to || from] },
    Content: {
      Simple: {
        Subject: { Data: subject, Charset: 'UTF-8' },
        Body: { Text: { Data: text, Charset: 'UTF-8' } },
      },
    },
  })
