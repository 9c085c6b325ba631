import * as v from 'valibot'
import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { ascending } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import { DOCUMENT_FORMATS } from '#lib/settings/document-formats.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { type Key, keyForm, listedIn } from '#lib/table/keys.ts'
import { type Assignments, absent, type Conditions, is } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import type { FoundDocument } from './documents/rendered.ts'
import { MAIL_STATES } from './mail-states.ts'

const MAILED_KINDS = ['INVOICE', 'CREDITNOTE', 'REMINDER', 'PASSWORD', 'EMAIL'] as const

/** The mails of a document: the last one, and earlier ones. Its number is its document's, or a username. */
export const mailingKey = keyForm('MAILS#<user_id>', '<kind>#<of>')

/** The mails that wait or are on their way, by when they are due; and those of a seller that failed. */
export const mailLists = {
  due: keyForm('MAILSDUE', '<at>#<kind>#<of>'),
  failed: keyForm('MAILSFAILED#<owner_id>', '<at>#<kind>#<of>'),
}

const mailEntries = {
  state: v.picklist(MAIL_STATES),
  to: v.string(),
  /** The account that asked for it, and the time. */
  by: v.string(),
  asked: v.string(),
  /** When it came into this state. */
  at: v.string(),
  message_id: v.optional(v.string(), ''),
  /** The answer of the mail server, or of Tollgate, about it. */
  answer: v.optional(v.string(), ''),
  number: v.optional(v.string(), ''),
  /** The level of a reminder; 1 of an invitation, whose link works for longer. */
  level: v.optional(v.number(), 0),
}

const earlierSchema = v.pipe(v.string(), v.parseJson(), v.array(v.object(mailEntries)))

const mailingSchema = v.object({
  ...mailEntries,
  kind: v.picklist(MAILED_KINDS),
  of: v.number(),
  user_id: v.number(),
  owner_id: v.number(),
  format: v.picklist(DOCUMENT_FORMATS),
  /** Attempts that the server refused for the moment. */
  tries: v.number(),
  /** When its process has ended, in Unix milliseconds, if it is still on its way. */
  till: v.optional(v.number(), 0),
  earlier: v.optional(earlierSchema, '[]'),
  /** The level of each invoice before a reminder and after it, as JSON. */
  reminded: v.optional(v.string(), '{}'),
  reminds: v.optional(v.string(), '{}'),
})

export type Mailing = v.InferOutput<typeof mailingSchema>

export type SentMail = Mailing['earlier'][number]

export const readMailing = (item: Item): Mailing => v.parse(mailingSchema, item)

export const keyOfMailing = ({ user_id, kind, of }: Pick<Mailing, 'user_id' | 'kind' | 'of'>) =>
  mailingKey(user_id, kind, of)

const kindInKey = (kind: FoundDocument['kind']): Mailing['kind'] =>
  kind === 'invoice' ? 'INVOICE' : 'CREDITNOTE'

/** The same for each attempt of a mail: a mail server, or a reader, knows one that came twice. */
export const nameOfMail = ({ kind, user_id, of, asked }: Mailing): string =>
  `${kind}.${user_id}.${of}.${hexDigest(`${kind} ${of} ${asked}`).slice(0, 32)}`

export const keyOfMails = ({ kind, document: { user_id, id } }: Mailable): Key =>
  mailingKey(user_id, kindInKey(kind), id)

/** All mails of a document, and the reminders that name it, the oldest first. */
export async function mailsOf(store: Store, found: Mailable): Promise<SentMail[]> {
  const { user_id, owner_id, number } = found.document
  const [mails, reminders] = await store.getMany(
    [keyOfMails(found), reminderKey(user_id, owner_id)],
    'eventual',
  )
  const names = ({ number: numbers }: SentMail) => numbers.split(', ').includes(number)
  return [
    ...(mails ? sentMails(readMailing(mails)) : []),
    ...(reminders ? sentMails(readMailing(reminders)).filter(names) : []),
  ].sort((one, other) => ascending(one.asked, other.asked))
}

/** The reminders that a customer has got from a seller, the oldest first. */
export async function remindersOf(store: Store, user_id: number, seller: number): Promise<SentMail[]> {
  const [item] = await store.getMany([reminderKey(user_id, seller)], 'eventual')
  return item ? sentMails(readMailing(item)).filter(({ state }) => state === 'sent') : []
}

const MAIL_NAMES = ['state', 'to', 'by', 'asked', 'at', 'message_id', 'answer', 'number', 'level'] as const

const sentMails = (mailing: Mailing): SentMail[] => [
  ...mailing.earlier,
  Object.fromEntries(MAIL_NAMES.map((name) => [name, mailing[name]])) as SentMail,
]

/** A document, as far as its mails know it. */
export interface Mailable {
  readonly kind: FoundDocument['kind']
  readonly document: Pick<FoundDocument['document'], 'id' | 'user_id' | 'owner_id' | 'number'>
}

interface AskedMail {
  readonly to: string
  readonly by: string
  readonly now: Date
  /** The earlier mail of the document. */
  readonly before?: Item | undefined
}

/** A change, and a write of its own. */
interface Asked {
  readonly update: Key
  readonly to: Assignments
  readonly when: Conditions
}

const LAST_BLANK = { answer: undefined, message_id: undefined, till: undefined }

/** Lets the mail of a document wait. Without an address, it fails at once, which its seller sees. */
export function askedMail(
  { kind, document: { id: of, user_id, owner_id, number } }: Mailable,
  { document_format }: Pick<WholeAccount, 'document_format'>,
  asked: AskedMail,
): Asked {
  const format = document_format || 'pdf'
  return asking({ kind: kindInKey(kind), of, user_id, owner_id, number, format }, asked)
}

/** Lets a reminder wait, in place of the one before. Its number is those of its invoices. */
export function askedReminder(
  { id: user_id, email }: WholeAccount,
  seller: number,
  reminder: Pick<Mailing, 'level' | 'number' | 'reminded' | 'reminds'>,
  asked: Omit<AskedMail, 'to'>,
): Asked {
  const named = { kind: 'REMINDER' as const, of: seller, user_id, owner_id: seller, format: 'pdf' as const }
  return asking({ ...named, ...reminder }, { ...asked, to: email.trim() })
}

/** Lets the mail wait that has a link to choose a password. */
export const askedPasswordMail = (
  { id, owner_id, username, email }: Pick<WholeAccount, 'id' | 'owner_id' | 'username' | 'email'>,
  { isInvited, ...asked }: Omit<AskedMail, 'to'> & { readonly isInvited: boolean },
): Asked => {
  const named = { kind: 'PASSWORD' as const, of: id, user_id: id, owner_id, number: username }
  return asking({ ...named, format: 'pdf', level: isInvited ? 1 : 0 }, { ...asked, to: email.trim() })
}

/** Queues the mail that notifies an account's earlier address of a new one. Each change has its own. */
export const askedEmailNotice = (
  { id, owner_id, username, email }: Pick<WholeAccount, 'id' | 'owner_id' | 'username' | 'email'>,
  asked: Omit<AskedMail, 'to'>,
): Asked => {
  const named = { kind: 'EMAIL' as const, of: asked.now.getTime(), user_id: id, owner_id, number: username }
  return asking({ ...named, format: 'pdf' }, { ...asked, to: email.trim() })
}

export const reminderKey = (user_id: number, seller: number): Key => mailingKey(user_id, 'REMINDER', seller)

function asking(
  mailed: Pick<Mailing, 'kind' | 'of' | 'user_id' | 'owner_id' | 'number' | 'format'> &
    Partial<Pick<Mailing, 'level' | 'reminded' | 'reminds'>>,
  { to, by, now, before }: AskedMail,
): Asked {
  const at = now.toISOString()
  // Two that are asked for in one millisecond have two names.
  const last = before ? new Date(readMailing(before).asked).getTime() : 0
  const asked = new Date(Math.max(now.getTime(), last + 1)).toISOString()
  const mail = {
    ...{ ...mailed, to, by, asked, at, tries: 0 },
    ...(before && { earlier: JSON.stringify(sentMails(readMailing(before)).slice(-MOST_EARLIER)) }),
  }
  const state = isMailAddress(to) ? waitingSince(mail) : failed(mail, 'refused', NO_ADDRESS)
  return {
    update: keyOfMailing(mail),
    to: { set: { ...LAST_BLANK, ...mail, ...state } },
    when: before ? { at: is(before['at']), state: is(before['state']) } : { PK: absent },
  }
}

/** The mails of a document, or reminders of a customer, that are kept. */
const MOST_EARLIER = 50

const NO_ADDRESS = 'the account has no email'

/** The attributes of a mail that waits for its time. */
export const waitingSince = ({ at, kind, of }: Pick<Mailing, 'at' | 'kind' | 'of'>) => ({
  state: 'waiting' as const,
  ...listedIn('GSI1', mailLists.due(at, kind, of)),
})

/** The attributes of a mail that a person has to look at. */
export const failed = <S extends 'refused' | 'bounced' | 'in_doubt'>(
  { owner_id, at, kind, of }: Pick<Mailing, 'owner_id' | 'at' | 'kind' | 'of'>,
  state: S,
  answer: string,
) => ({ state, answer, ...listedIn('GSI1', mailLists.failed(owner_id, at, kind, of)) })

/** A mail in a copy of its table: one that was not sent yet may go from here. */
export function copiedMailing(item: Item): Item {
  const mailing = readMailing(item)
  if (mailing.state !== 'waiting' && mailing.state !== 'sending') return item
  return { ...item, ...failed(mailing, 'in_doubt', 'it was not sent yet when its table was copied') }
}

/** The mail of a document that is issued now, if the settings want it sent. */
export const mailAtIssue = (
  { Send_Invoices, Mail_From }: Settings,
  document: Mailable,
  account: WholeAccount,
  now: Date,
): Asked[] =>
  Send_Invoices && Mail_From !== ''
    ? [askedMail(document, account, { to: account.email.trim(), by: 'Send_Invoices', now })]
    : []

/** Whether a document is mailed already, or may be. One whose mail was refused or came back is not. */
export const isMailed = (item: Item | undefined): boolean =>
  item !== undefined && !hasReachedNobody(readMailing(item))

export const hasReachedNobody = ({ state }: Mailing): boolean => state === 'refused' || state === 'bounced'

/** The mails of a seller's documents that wait, are on their way, were refused, or are in doubt. */
export async function openMails(store: Store, owner_id: number, most: number): Promise<Mailing[]> {
  const page = { index: 'GSI1' as const, pageSize: most }
  const lists = [mailLists.failed.range(owner_id), mailLists.due.range()]
  const found = await Promise.all(lists.map((list) => store.firstPage({ ...page, ...list })))
  return found
    .flat()
    .map(readMailing)
    .filter((mail) => mail.owner_id === owner_id)
}
