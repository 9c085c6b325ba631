import * as v from 'valibot'
import { MAIL_TAG } from '#lib/alerts/mail.ts'
import { cutText } from '#lib/base/text.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { failed, keyOfMailing, type Mailing, mailingKey, nameOfMail, readMailing } from '../mailing.ts'

/** Whether a mail may come back. One that is on its way may do so before its server's answer is stored. */
export const isOut = ({ state }: Mailing): boolean => ['sending', 'sent', 'in_doubt'].includes(state)

/** The longest answer that a report repeats. */
const MOST_CHARACTERS = 300

/** Notes that a mail came back. It may be sent again, to another address. */
export function bounced(mailing: Mailing, answer: string, now: Date) {
  const at = now.toISOString()
  return {
    update: keyOfMailing(mailing),
    to: { set: { at, ...failed({ ...mailing, at }, 'bounced', cutText(answer, MOST_CHARACTERS)) } },
    when: { state: is(mailing.state), at: is(mailing.at) },
  }
}

/** The name of a mail, in its id or in a tag of SES, leads to its document. */
const NAMES = /(INVOICE|CREDITNOTE|REMINDER|PASSWORD)[.-](\d{1,15})[.-](\d{1,15})[.-][0-9a-f]{32}/g

/**
 * Notes what a report says of mails of this installation, and returns the numbers of their documents. A mail
 * that was sent again since stays as it is.
 */
async function noteReturned(store: Store, names: string, says: string, now: Date): Promise<string[]> {
  const noted: string[] = []
  for (const [name, kind = '', user_id, of] of names.matchAll(NAMES)) {
    const item = await store.get(mailingKey(Number(user_id), kind, Number(of)))
    const mailing = item && readMailing(item)
    if (!mailing || nameOfMail(mailing) !== name.replaceAll('-', '.') || !isOut(mailing)) continue
    const { update, to, when } = bounced(mailing, says, now)
    if (await hasWritten(store.update(update, to, when))) noted.push(mailing.number)
  }
  return noted
}

/** Reads a delivery status notification (RFC 3464): only what failed for good came back. */
export async function noteDeliveryReport(store: Store, report: string, now: Date): Promise<string[]> {
  if (!/^Action:[ \t]*failed[ \t]*$/im.test(report.replaceAll('\r', ''))) return []
  const [, says = 'it came back'] = /^Diagnostic-Code:[^;\r\n]*;[ \t]*([^\r\n]+)/im.exec(report) ?? []
  return noteReturned(store, report, says, now)
}

const sesEventSchema = v.object({
  mail: v.object({ tags: v.record(v.string(), v.array(v.string())) }),
  bounce: v.optional(
    v.object({
      ...{ bounceType: v.string(), bounceSubType: v.string() },
      bouncedRecipients: v.array(
        v.object({ action: v.optional(v.string()), diagnosticCode: v.optional(v.string()) }),
      ),
    }),
  ),
  reject: v.optional(v.object({ reason: v.string() })),
})

/**
 * Reads an event of SES (Developer Guide, "Contents of event data"). A transient bounce without `failed` may
 * be the answer of somebody who is away.
 */
export async function noteSesEvent(store: Store, event: unknown, now: Date): Promise<string[]> {
  const read = v.safeParse(sesEventSchema, event)
  if (!read.success) return []
  const { mail, bounce, reject } = read.output
  const names = mail.tags[MAIL_TAG]?.join(' ') ?? ''
  if (reject) return noteReturned(store, names, reject.reason, now)
  const failing = bounce?.bouncedRecipients.find(({ action }) => action === 'failed')
  if (!bounce || (bounce.bounceType === 'Transient' && !failing)) return []
  const says = failing?.diagnosticCode?.replace(/^\w+; */, '')
  return noteReturned(store, names, says ?? `${bounce.bounceType} ${bounce.bounceSubType}`, now)
}
