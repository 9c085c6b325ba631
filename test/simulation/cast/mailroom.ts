import { readMailing } from '#lib/invoicing/mailing.ts'
import { sendDueMails } from '#lib/invoicing/mails/send-mails.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Acts } from '../actors.ts'
import type { Invariant, SeenTable } from '../seen.ts'

// Mails wait in the table. Two processes may send them at once, and die on the way.

export const sendsMails: Acts = ({ installation, draws }) => {
  const sends = async () => {
    const store = installation.store()
    const { bucket, sendMail: send } = installation
    return sendDueMails({ store, bucket, send, settings: await settingsOf(store), clock: () => new Date() })
  }
  const processes = draws.onceIn(2) ? [sends, sends] : [sends]
  return { who: 'mailer', what: 'sends what is due', work: () => Promise.all(processes.map((one) => one())) }
}

/** A mail server takes a mail once, whatever died on the way. What is sent was taken. */
function mailsAreSentOnce({ items, scene: { installation } }: SeenTable): string[] {
  const taken = installation.mails.map(({ messageId }) => messageId)
  const twice = taken.filter((id, index) => taken.indexOf(id) !== index)
  const mailings = items.filter(({ PK }) => String(PK).startsWith('MAILS#')).map(readMailing)
  const sent = mailings.filter(({ state }) => state === 'sent')
  return [
    ...twice.map((id) => `the mail ${id} was sent more than once`),
    ...sent
      .filter(({ message_id }) => !taken.includes(message_id))
      .map(({ number, kind }) => `the mail ${kind} of ${number} is sent, and no mail server has it`),
    ...installation.mails
      .filter(({ messageId }) => messageId?.startsWith('<REMINDER'))
      .map(({ to, text, messageId }, index, all) =>
        all.slice(index + 1).some((other) => other.to === to && other.text === text)
          ? `${to} is reminded by ${messageId}, and again in the same words`
          : '',
      )
      .filter(Boolean),
  ]
}

/** What is issued while Send_Invoices is on has its mail. */
export const MAIL_INVARIANTS: Readonly<Record<string, Invariant>> = { mails: mailsAreSentOnce }
