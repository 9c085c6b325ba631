import pMap from 'p-map'
import { GREETING, type Mail, type MailFile, type MailOutcome, type SendMail } from '#lib/alerts/mail.ts'
import { WAITS_SECONDS } from '#lib/alerts/sender.ts'
import { type Translations, translator } from '#lib/base/language/language.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { refusalForPeople } from '#lib/base/refusals/refusal-sentences.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { findInvoices } from '#lib/billing/invoice.ts'
import { takesCard } from '#lib/billing/stripe/checkout.ts'
import type { ArchiveServices } from '#lib/calls/archive/archive-function.ts'
import type { AccountFormat } from '#lib/settings/document-formats.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { invocation, type TimeLeft } from '#lib/table/invocation.ts'
import { is } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { documentWords } from '../documents/document-facts.ts'
import type { PrintedDocument } from '../documents/printed-document.ts'
import {
  asInvoice,
  type DocumentFormat,
  type FoundDocument,
  listsCalls,
  printedDocument,
} from '../documents/rendered.ts'
import { type FileSource, givenFile } from '../documents/stored-files.ts'
import {
  failed,
  keyOfMailing,
  type Mailing,
  mailLists,
  nameOfMail,
  readMailing,
  waitingSince,
} from '../mailing.ts'
import { emailNotice, passwordMail } from './password-mails.ts'
import { CARD_LINE, reminderMail } from './reminders.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly mailed_document_gone: { readonly number: string }
    readonly mail_too_large: { readonly number: string; readonly bytes: number; readonly most: number }
  }
}

/** Where documents, their files and a mail server are. */
export interface MailSource extends Omit<FileSource, 'now'> {
  readonly send: SendMail
  readonly clock: () => Date
}

/** A mail server answers sooner, and a Lambda ends sooner. */
const ON_ITS_WAY_MS = 15 * 60_000

const MAILS_AT_ONCE = 4
const PAGE_MAILS = 100

/** How many mails were sent, refused, put off until later, and found in doubt. */
export type SentCounts = Record<'sent' | 'refused' | 'waiting' | 'in_doubt', number>

/**
 * Sends the mails that are due. Two processes share them: each mail is claimed before it is made. One whose
 * process has ended on the way is in doubt, and sent again only by a person.
 */
export async function sendDueMails(source: MailSource, hasTime = () => true): Promise<SentCounts> {
  const counts = { sent: 0, refused: 0, waiting: 0, in_doubt: 0 }
  if (source.settings.Mail_From === '') return counts
  const { partition } = mailLists.due.range()
  const between = ['', `${source.clock().toISOString()}~`] as const
  const due = { index: 'GSI1', partition, between, pageSize: PAGE_MAILS } as const
  for await (const page of source.store.pages(due)) {
    const work = async (mailing: Mailing) => {
      const state = hasTime() ? await sendMailing(source, mailing) : undefined
      if (state) counts[state] += 1
    }
    await pMap(page.map(readMailing), work, { concurrency: MAILS_AT_ONCE })
    if (!hasTime()) break
  }
  return counts
}

/** The run that archives calls follows it in the same function. */
const LEFT_TO_OTHERS_MS = 300_000

/** Sends the mails that are due, and writes a log line. */
export const mailer =
  ({ bucket, send, ...services }: ArchiveServices & { readonly send: SendMail }) =>
  async ({ getRemainingTimeInMillis }: TimeLeft): Promise<void> => {
    await invocation(services, 'send_mails', async ({ store }) => {
      const source = { store, bucket, send, clock: services.clock, settings: await settingsOf(store) }
      return sendDueMails(source, () => getRemainingTimeInMillis() > LEFT_TO_OTHERS_MS)
    })
  }

type Ended = keyof SentCounts

/** `undefined` if another process has it. */
async function sendMailing(source: MailSource, mailing: Mailing): Promise<Ended | undefined> {
  const { store, clock } = source
  const now = clock()
  if (mailing.state === 'sending')
    return mailing.till < now.getTime()
      ? endMailing(source, mailing, { kind: 'in doubt', error: LOST })
      : undefined
  const { Mail_From } = source.settings
  const message_id = `<${nameOfMail(mailing)}${Mail_From.slice(Mail_From.lastIndexOf('@'))}>`
  const claimed = {
    state: 'sending',
    at: now.toISOString(),
    till: now.getTime() + ON_ITS_WAY_MS,
    message_id,
  } as const
  const when = { state: is('waiting'), at: is(mailing.at) }
  if (!(await hasWritten(store.update(keyOfMailing(mailing), { set: claimed }, when)))) return undefined
  const mine = { ...mailing, ...claimed }
  const made = await makingOf({ ...source, now }, mine).catch(problemOf)
  return endMailing(source, mine, 'error' in made ? made : await source.send(made))
}

const makingOf = (source: MailSource & { readonly now: Date }, mailing: Mailing): Promise<Mail> => {
  if (mailing.kind === 'PASSWORD') return passwordMail(source, mailing)
  if (mailing.kind === 'EMAIL') return emailNotice(source, mailing)
  return mailing.kind === 'REMINDER' ? reminderMail(source, mailing) : makeMail(source, mailing)
}

const LOST = 'its process ended on the way'

/** A document that cannot be made is not mailed: its seller sees why. */
function problemOf(error: unknown): MailOutcome & { readonly error: string } {
  if (error instanceof Refusal) return { error: refusalForPeople(error).message }
  return { kind: 'temporary', error: error instanceof Error ? error.message : String(error) }
}

/** Notes what became of a mail, unless its state has changed since. */
async function endMailing(
  { store, clock }: MailSource,
  mailing: Mailing,
  outcome: MailOutcome,
): Promise<Ended | undefined> {
  const now = clock()
  const set = { ...stateAfter({ ...mailing, at: now.toISOString() }, outcome, now), tries: mailing.tries + 1 }
  const when = { state: is('sending'), at: is(mailing.at) }
  const hasEnded = await hasWritten(
    store.update(keyOfMailing(mailing), { set: { ...set, till: undefined } }, when),
  )
  return hasEnded ? set.state : undefined
}

/** The attributes of a mail after an attempt. Its last temporary failure is a refusal. */
function stateAfter(mailing: Mailing, outcome: MailOutcome, now: Date) {
  const { at, message_id, tries } = mailing
  if (!('error' in outcome)) {
    const { id = message_id } = outcome
    return {
      state: 'sent' as const,
      at,
      message_id: id,
      answer: undefined,
      GSI1PK: undefined,
      GSI1SK: undefined,
    }
  }
  const { error: answer, kind } = outcome
  const wait = kind === 'temporary' ? WAITS_SECONDS[tries] : undefined
  if (wait === undefined)
    return { at, ...failed(mailing, kind === 'in doubt' ? 'in_doubt' : 'refused', answer) }
  const due = new Date(now.getTime() + wait * 1000).toISOString()
  return { at, ...waitingSince({ ...mailing, at: due }), answer }
}

/** Larger mails are returned by many servers. */
const MOST_BYTES = 15_000_000

/** Makes the mail of a document: what it says, and the files that were or will be given of it. */
async function makeMail(source: MailSource, mailing: Mailing): Promise<Mail> {
  const { number, to, message_id } = mailing
  const found = await findMailed(source.store, mailing)
  if (!found) throw new Refusal('mailed_document_gone', { number })
  const from = { ...source, now: source.clock() }
  const printed = await printedDocument(from, found)
  const attachments: MailFile[] = []
  for (const format of formatsOf(found, mailing.format)) {
    const { name, type, pieces } = await givenFile(from, found, format)
    attachments.push({ name, type, content: Buffer.concat(await Array.fromAsync(pieces)) })
  }
  const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0)
  if (bytes > MOST_BYTES) throw new Refusal('mail_too_large', { number, bytes, most: MOST_BYTES })
  const { name, email: replyTo } = printed.seller
  const card = found.kind === 'invoice' && takesCard(source.settings, found.document)
  const page = card ? source.settings.Page_Address : ''
  return {
    by: 'SES',
    to,
    ...textOf(printed, page),
    from: { name, replyTo },
    messageId: message_id,
    attachments,
  }
}

async function findMailed(store: Store, { kind, of }: Mailing): Promise<FoundDocument | undefined> {
  if (kind === 'INVOICE') {
    const [invoice] = await findInvoices(store, [of])
    return invoice && asInvoice(invoice)
  }
  const note = await creditNotes.find(store, of)
  return note && { kind: 'credit note', document: note }
}

/** A PDF, and the other files that the customer wants. Factur-X is a PDF itself. */
function formatsOf(found: FoundDocument, format: AccountFormat): DocumentFormat[] {
  const pdf = format === 'pdf' || format === 'factur-x' ? [format] : (['pdf', format] as const)
  return listsCalls(found) ? [...pdf, 'calls'] : [...pdf]
}

const MAIL_TEXTS = {
  hello: GREETING,
  attached: [
    '{title} of {day} is attached.',
    'anbei erhalten Sie {title} vom {day}.',
    'Veuillez trouver ci-joint : {title} du {day}.',
    'Le enviamos adjunto: {title} del {day}.',
  ],
  card: CARD_LINE,
} as const satisfies Record<string, Translations>

/** The terms of payment are those of the document. */
function textOf(printed: PrintedDocument, page: string): Pick<Mail, 'subject' | 'text'> {
  const { language, issued, seller, buyer } = printed
  const { title, closing, formats } = documentWords(printed)
  const text = translator(MAIL_TEXTS, language)
  const attached = text('attached', { title, day: formats.day(issued) })
  const card = page === '' ? [] : [text('card', { page })]
  const lines = [text('hello', { name: buyer.name }), '', attached, '', ...closing, ...card, '', seller.name]
  return { subject: [title, seller.name].filter(Boolean).join(', '), text: lines.join('\n').trim() }
}
