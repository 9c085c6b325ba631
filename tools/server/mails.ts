import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { createTransport, type NodemailerError } from 'nodemailer'
import { MAILS_ARE_OFF, type Mail, type MailOutcome, type SendMail } from '#lib/alerts/mail.ts'
import { sendDueMails } from '#lib/invoicing/mails/send-mails.ts'
import { MAIL_SERVER } from '#lib/settings/declared-settings.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { openTable } from '../command-line/open-table.ts'
import { bucketAt } from '../commands/archive/archive.ts'

type MailSettings = Pick<Settings, 'Mail_From' | 'Mail_Server' | 'Mail_User' | 'Mail_Password'>

const SUBMISSION_PORT = 587
const PORT_OF_TLS = 465

/** Sends mails through the mail server of the settings, which may change while it runs. */
export function smtpSender() {
  let [open, opened]: [ReturnType<typeof transportOf> | undefined, string] = [undefined, '']
  return {
    close: (): void => open?.close(),
    send: async (mail: Mail, settings: MailSettings): Promise<MailOutcome> => {
      const { Mail_From, Mail_Server, Mail_User, Mail_Password } = settings
      if (Mail_From === '' || Mail_Server === '') return MAILS_ARE_OFF
      const wanted = JSON.stringify([Mail_Server, Mail_User, Mail_Password])
      if (!open || opened !== wanted) {
        open?.close()
        open = transportOf(settings)
        opened = wanted
      }
      const text = Readable.from([mail.text])
      return open.sendMail({ ...messageOf(mail, Mail_From), text }).then(
        ({ messageId }) => ({ status: 200, id: messageId }),
        (error: NodemailerError) => outcomeOf(error, text.readableDidRead),
      )
    },
  }
}

const SECOND_MS = 1000

/** A password only goes over TLS, but for a server on this machine. */
function transportOf({ Mail_Server, Mail_User, Mail_Password }: MailSettings) {
  const [, host = '', port = SUBMISSION_PORT] = MAIL_SERVER.exec(Mail_Server) ?? []
  return createTransport({
    ...{ host: host.replace(/[[\]]/g, ''), port: Number(port), secure: Number(port) === PORT_OF_TLS },
    ...(Mail_User !== '' && { auth: { user: Mail_User, pass: Mail_Password } }),
    requireTLS: Mail_User !== '' && !/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(host),
    ...{ pool: true, maxConnections: 4, disableFileAccess: true, disableUrlAccess: true },
    ...{ connectionTimeout: 30 * SECOND_MS, greetingTimeout: 30 * SECOND_MS, socketTimeout: 120 * SECOND_MS },
  })
}

/** A mail without an address goes to the sender: those of the operator do. */
const messageOf = ({ to, subject, from, messageId, attachments = [] }: Mail, address: string) => ({
  from: { name: from?.name ?? '', address },
  to: to || address,
  ...(from?.replyTo && { replyTo: from.replyTo }),
  ...(messageId && { messageId }),
  subject,
  textEncoding: 'quoted-printable' as const,
  attachments: attachments.map(({ name, type, content }) => ({
    ...{ filename: name, contentType: type, content: Buffer.from(content) },
  })),
})

/** RFC 5321, 4.2.1: a reply of 4yz may change later, one of 5yz does not. A login is the operator's. */
function outcomeOf({ message, code, responseCode }: NodemailerError, hasBegun: boolean): MailOutcome {
  const error = message.slice(0, MOST_CHARACTERS)
  const isOfServer = responseCode === undefined && code !== 'EENVELOPE' && code !== 'EMESSAGE'
  if (isOfServer && hasBegun) return { error, kind: 'in doubt' }
  const isTemporary = isOfServer || code === 'EAUTH' || (responseCode !== undefined && responseCode < 500)
  return isTemporary ? { error, kind: 'temporary' } : { error }
}

const MOST_CHARACTERS = 300

const PAUSE_MS = SECOND_MS
const PAUSE_WITHOUT_MAILS_MS = 15 * SECOND_MS

/** Sends the mails of documents that wait, as a function does in AWS. Returns what ends it. */
export function startMails(location: TableLocation, log: (line: LogFields) => void): () => Promise<void> {
  const store = openTable(location)
  const [smtp, stopped] = [smtpSender(), new AbortController()]
  const sendOnce = async (): Promise<number> => {
    const settings = await settingsOf(store)
    if (settings.Mail_From === '') return PAUSE_WITHOUT_MAILS_MS
    const send: SendMail = (mail) => smtp.send(mail, settings)
    const source = { store, settings, bucket: bucketAt(location), send, clock: () => new Date() }
    const counts = await sendDueMails(source, () => !stopped.signal.aborted)
    if (Object.values(counts).some((count) => count > 0))
      log({ function: 'send_mails', outcome: 'done', ...counts })
    return PAUSE_MS
  }
  const work = async () => {
    while (!stopped.signal.aborted) {
      // A table that does not answer is asked again: what waits is in it.
      const pause = await sendOnce().catch(() => PAUSE_WITHOUT_MAILS_MS)
      await setTimeout(pause, 0, { signal: stopped.signal }).catch(() => 0)
    }
  }
  const working = work()
  return async () => {
    stopped.abort()
    await working
    smtp.close()
  }
}
