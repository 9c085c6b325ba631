import { findWholeAccount, findWholeAccounts } from '#lib/accounts/whole-account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { accountInput, inputOf, monthInput, optionalInput, switchInput, textInput } from '#lib/acts/inputs.ts'
import { requireMails } from '#lib/alerts/mail.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { inBatches, paired } from '#lib/base/collections.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT, actsFor } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { issuedNote } from '#lib/billing/payments/payment-input.ts'
import { soldInvoice } from '#lib/billing/payments/write-off.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import { asInvoice, documentsOfMonth, type FoundDocument } from '../documents/rendered.ts'
import type { MailState } from '../mail-states.ts'
import { askedMail, isMailed, keyOfMails, readMailing } from '../mailing.ts'
import { bounced, isOut } from './bounces.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly no_mail_address: { readonly account: string }
    /** It was sent, or may have been: another mail is asked for. */
    readonly mailed: { readonly number: string; readonly to: string; readonly state: MailState }
    /** No mail of it is out that could come back. */
    readonly no_sent_mail: { readonly number: string }
  }
}

const callers = MANAGERS

const addressInput = inputOf('mail address', 'ADDRESS', (text) => (isMailAddress(text) ? text : undefined))

/** How one document is sent. */
const options = {
  to: optionalInput(addressInput('where it goes (default: the email of its customer)')),
  again: switchInput('send it once more'),
}

export const sendInvoice = defineAct({
  summary: 'Send an invoice to its customer by mail',
  callers,
  input: { invoice: soldInvoice, ...options },
  run: (context, { invoice, ...given }) => sendOne(context, asInvoice(invoice), given),
})

export const sendCreditNote = defineAct({
  summary: 'Send a credit note to its customer by mail',
  callers,
  input: { note: issuedNote, ...options },
  run: (context, { note, ...given }) => sendOne(context, { kind: 'credit note', document: note }, given),
})

/** A mail that waits to be sent. */
export interface SentOne {
  readonly number: string
  readonly to: string
}

async function sendOne(
  { store, settings, now, actor }: ActContext,
  found: FoundDocument,
  given: { readonly to: string | undefined; readonly again: true | undefined },
): Promise<Done<SentOne>> {
  requireMails(settings)
  const { user_id, number } = found.document
  const [before, account] = await Promise.all([
    store.get(keyOfMails(found)),
    findWholeAccount(store, user_id),
  ])
  if (!account) throw new Error(`Account ${user_id} of document ${number} is gone`)
  const to = given.to ?? account.email.trim()
  if (!isMailAddress(to)) throw new Refusal('no_mail_address', { account: account.username }, 'to')
  if (before && isMailed(before) && !given.again)
    throw new Refusal('mailed', { number, ...stateOf(readMailing(before)) })
  return {
    changes: [askedMail(found, account, { to, by: actor.username, now, before })],
    answer: { number, to },
    log: { action: `sends ${number} to ${to}` },
  }
}

const stateOf = ({ to, state }: ReturnType<typeof readMailing>) => ({ to, state })

export const noteBounce = defineAct({
  summary: 'Note that the mail of an invoice came back: it may be sent again, to another address',
  callers,
  input: {
    invoice: soldInvoice,
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

const AT_ONCE = 100

/** The documents of a month by outcome: mailed now, mailed before, or without an address. */
export interface SentMonth {
  readonly month: string
  readonly asked: number
  readonly before: number
  readonly without_address: number
  /** A request has no time for more: the next one continues. */
  readonly has_more: boolean
}

/** A repetition sends what is not sent yet. A document in doubt is sent again by itself alone. */
export const sendMonth = defineAct({
  summary: 'Send the documents of a month to their customers by mail, each once',
  callers,
  input: {
    month: monthInput('the month that they bill'),
    seller: optionalInput(accountInput('the reseller or partner who issued them (default: your own)')),
  },
  run: async (context, { month, seller }): Promise<Done<SentMonth>> => {
    const { settings, actor, mostAtOnce } = context
    requireMails(settings)
    const own = seller && seller.usertype !== 'admin' ? seller.id : ADMIN_ACCOUNT
    const owner = seller ? own : (actsFor(actor) ?? actor.id)
    return {
      begins: `sends the documents of ${month}`,
      async *steps() {
        const done = { month, asked: 0, before: 0, without_address: 0, has_more: false }
        for await (const some of inBatches(documentsOfMonth(context.store, { owner }, month), AT_ONCE)) {
          const became = await askSome(context, some)
          for (const one of became) done[one] += 1
          yield `${countOf(done.asked, 'mail')} asked for`
          done.has_more = mostAtOnce !== undefined && done.asked >= mostAtOnce
          if (done.has_more) break
        }
        return { answer: done, did: `sends ${countOf(done.asked, 'document')} of ${month}` }
      },
    }
  },
})

type Became = 'asked' | 'before' | 'without_address'

/** One of two runs at once asks for the mail of a document. */
async function askSome(
  { store, now, actor }: ActContext,
  some: readonly FoundDocument[],
): Promise<readonly Became[]> {
  const items = paired(some, await store.getMany(some.map(keyOfMails)))
  const open = some.filter((found) => !isMailed(items.get(found)))
  const ids = [...new Set(open.map(({ document }) => document.user_id))]
  const accounts = paired(ids, await findWholeAccounts(store, ids))
  const asked = await findForEach(open, async (found): Promise<Became> => {
    const account = accounts.get(found.document.user_id)
    const to = account?.email.trim() ?? ''
    const asking = { to, by: actor.username, now, before: items.get(found) }
    const { update, to: assigned, when } = askedMail(found, account ?? { document_format: '' }, asking)
    if (!(await hasWritten(store.update(update, assigned, when)))) return 'before'
    return isMailAddress(to) ? 'asked' : 'without_address'
  })
  return [...asked, ...some.slice(open.length).map(() => 'before' as const)]
}
