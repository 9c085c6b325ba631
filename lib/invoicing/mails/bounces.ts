import { defineAct } from '#lib/acts/act.ts'
import { optionalInput, textInput } from '#lib/acts/inputs.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { soldInvoice } from '#lib/billing/write-off.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { asInvoice } from '../documents/rendered.ts'
import { failed, keyOfMailing, keyOfMails, type Mailing, mailingKey, readMailing } from './mailing.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** No mail of it is out that could come back. */
    readonly no_sent_mail: { readonly number: string }
  }
}

/** Notes that a mail came back after a server had taken it. */
export const noteBounce = defineAct({
  summary: 'Note that the mail of an invoice came back: it may be sent again, to another address',
  callers: MANAGERS,
  input: {
    invoice: soldInvoice('the invoice'),
    why: optionalInput(textInput('what the mail that came back says')),
  },
  run: async ({ store, now }, { invoice, why = 'it came back' }) => {
    const { number } = invoice
    const item = await store.get(keyOfMails(asInvoice(invoice)))
    const mailing = item && readMailing(item)
    if (!mailing || !isOut(mailing)) throw new Refusal('no_sent_mail', { number }, 'invoice')
    const { to } = mailing
    return {
      changes: [bounced(mailing, why, now)],
      answer: { number, to },
      log: { action: `noted that the mail of ${number} to ${to} came back: ${why}` },
    }
  },
})

const isOut = ({ state }: Mailing): boolean => state === 'sent' || state === 'in_doubt'

const bounced = (mailing: Mailing, answer: string, now: Date) => {
  const at = now.toISOString()
  return {
    update: keyOfMailing(mailing),
    to: { set: { at, ...failed({ ...mailing, at }, 'bounced', answer) } },
    when: { state: is(mailing.state), at: is(mailing.at) },
  }
}

/** The id of a mail names its document, so that a report about it leads there. */
const MESSAGE_ID = /<(INVOICE|CREDITNOTE|REMINDER)\.(\d{1,15})\.(\d{1,15})\.[0-9a-f]{32}@[^<>\s]{1,255}>/g

/** The longest answer that a report repeats. */
const MOST_CHARACTERS = 300

/**
 * Notes what a delivery status notification (RFC 3464) says of mails of this installation: those that failed
 * for good. Returns the numbers of their documents. A mail that was sent again since stays as it is.
 */
export async function noteDeliveryReport(store: Store, report: string, now: Date): Promise<string[]> {
  if (!/^Action:[ \t]*failed[ \t]*$/im.test(report.replaceAll('\r', ''))) return []
  const [, says = 'it came back'] = /^Diagnostic-Code:[^;\r\n]*;[ \t]*([^\r\n]+)/im.exec(report) ?? []
  const noted: string[] = []
  for (const [message_id, kind = '', user_id, of] of report.matchAll(MESSAGE_ID)) {
    const item = await store.get(mailingKey(Number(user_id), kind, Number(of)))
    const mailing = item && readMailing(item)
    if (!mailing || mailing.message_id !== message_id || !isOut(mailing)) continue
    const { update, to, when } = bounced(mailing, says.slice(0, MOST_CHARACTERS), now)
    if (await hasWritten(store.update(update, to, when))) noted.push(mailing.number)
  }
  return noted
}
