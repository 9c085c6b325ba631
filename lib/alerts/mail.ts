import type { WholeAccount } from '#lib/accounts/whole-account.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatsIn, languageIn, type Translations, translator } from '#lib/base/language/language.ts'
import type { Money } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { AlertEvent } from './event.ts'
import { EVENT_TYPES, type EventType, isEventType, TEST_EVENT } from './event-types.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The setting Mail_From is blank. */
    readonly mails_off: Record<never, never>
  }
}

/** An endpoint for mails has one of these in place of an https address (docs/webhooks.md, "Mails"). */
const MAIL_URLS = ['mailto:operator', 'mailto:customer'] as const

type MailUrl = (typeof MAIL_URLS)[number]

export const isMailUrl = (url: string): url is MailUrl => MAIL_URLS.some((one) => one === url)

export interface Mail {
  /** The operator's goes to a topic of SNS, the customer's through SES. */
  readonly by: 'SNS' | 'SES'
  /** The customer's address; blank is the address of the sender, which a test is sent to. */
  readonly to: string
  readonly subject: string
  readonly text: string
  /** The seller, to whom the customer answers; without it, the operator. */
  readonly from?: { readonly name: string; readonly replyTo: string }
  /** SES gives its own, and keeps this one as a tag. */
  readonly messageId?: string
  readonly attachments?: readonly MailFile[]
}

/** The tag of a document's mail, which SES repeats in its events. */
export const MAIL_TAG = 'tollgate_mail'

export interface MailFile {
  readonly name: string
  readonly type: string
  readonly content: Uint8Array
}

/**
 * The answer of a mail server. A `temporary` failure may be tried again; `in doubt`, the server may have
 * taken the mail; any other failure is a refusal.
 */
export type MailOutcome =
  | { readonly status: number; readonly id?: string | undefined }
  | { readonly error: string; readonly kind?: 'temporary' | 'in doubt' }

/** Never throws. */
export type SendMail = (mail: Mail) => Promise<MailOutcome>

export const MAILS_ARE_OFF: MailOutcome = { error: 'this installation sends no such mails' }

/** The settings without a sender send nothing. */
export const requireMails = ({ Mail_From }: Pick<Settings, 'Mail_From'>): void => {
  if (Mail_From === '') throw new Refusal('mails_off', {})
}

const OF_CUSTOMERS: readonly EventType[] = ['balance.low', 'balance.exhausted']

/** Why an endpoint cannot have the address of a mail. */
export function mailRefusal(url: string, owner: number, events: readonly EventType[]): string | undefined {
  if (!isMailUrl(url)) return undefined
  if (owner !== ADMIN_ACCOUNT) return 'Only admins have endpoints for mails'
  const other = url === 'mailto:customer' && events.find((type) => !OF_CUSTOMERS.includes(type))
  return other ? `Customers get mails of ${OF_CUSTOMERS.join(' and ')}, not of ${other}` : undefined
}

/** The account that an event concerns, and the name of the operator. */
interface MailFacts {
  readonly account: WholeAccount | undefined
  readonly seller: string
}

/** The body of an event of a balance; others have other amounts. */
interface EventBody {
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export const concernedAccount = ({ body }: AlertEvent): number | undefined => {
  const { account } = (JSON.parse(body) as EventBody).data
  return typeof account === 'number' ? account : undefined
}

/** The mail of an event; `undefined` without a recipient. Resellers write to their customers themselves. */
export function mailOf(url: MailUrl, event: AlertEvent, facts: MailFacts): Mail | undefined {
  if (url === 'mailto:operator') return operatorsMail(event, facts)
  if (event.type === TEST_EVENT) return { by: 'SES', to: '', ...TEST_MAIL }
  const { account } = facts
  if (!account || account.owner_id !== ADMIN_ACCOUNT || !/^[^@]+@[^@]+$/.test(account.email)) return undefined
  return { by: 'SES', to: account.email, ...customersMail(event, account, facts.seller) }
}

const TEST_MAIL = { subject: 'A test of Tollgate', text: 'Mails of Tollgate arrive here.' }

/** SNS subjects have under 100 characters and no control characters (SNS API Reference, Publish). */
const subjectOf = (text: string): string => [...text.replace(/\p{Cc}/gu, ' ')].slice(0, 90).join('')

function operatorsMail({ type, body }: AlertEvent, { account }: MailFacts): Mail {
  if (!isEventType(type)) return { by: 'SNS', to: '', ...TEST_MAIL }
  const { title, says } = EVENT_TYPES[type]
  const { timestamp, data } = JSON.parse(body) as EventBody
  const { owner: _, ...shown } = data
  const name = account ? `${displayName(account)} (${account.username}, ${account.id})` : undefined
  const lines = Object.entries({ ...shown, ...(name && { account: name }) })
    .filter(([, value]) => value !== null && value !== '')
    .map(
      ([word, value]) => `${word.replaceAll('_', ' ')}: ${Array.isArray(value) ? value.join(', ') : value}`,
    )
  const subject = subjectOf(account ? `${title}: ${displayName(account)}` : title)
  return { by: 'SNS', to: '', subject, text: [says, '', ...lines, `time: ${timestamp}`].join('\n') }
}

/** How a mail to a customer begins. */
export const GREETING = [
  'Hello {name},',
  'Guten Tag {name},',
  'Bonjour {name},',
  'Hola, {name}:',
] as const satisfies Translations

const TEXTS = {
  low: [
    'Your balance is low',
    'Ihr Guthaben geht zu Ende',
    'Votre solde est presque épuisé',
    'Su saldo está a punto de agotarse',
  ],
  lowText: [
    '{left} are left for your calls. Please top up so that you can go on calling.',
    'Für Ihre Gespräche sind noch {left} übrig. Bitte laden Sie auf, damit Sie weiter telefonieren können.',
    'Il vous reste {left} pour vos appels. Veuillez recharger votre compte pour continuer à appeler.',
    'Le quedan {left} para sus llamadas. Recargue su saldo para seguir llamando.',
  ],
  gone: [
    'Your balance is used up',
    'Ihr Guthaben ist aufgebraucht',
    'Votre solde est épuisé',
    'Su saldo se ha agotado',
  ],
  goneText: [
    'Your balance is used up. Please top up.',
    'Für Ihre Gespräche ist nichts mehr übrig. Bitte laden Sie auf.',
    'Il ne vous reste plus rien pour vos appels. Veuillez recharger votre compte.',
    'No le queda saldo para sus llamadas. Recargue su saldo.',
  ],
  hello: GREETING,
} as const satisfies Record<string, Translations>

function customersMail({ type, body }: AlertEvent, account: WholeAccount, seller: string) {
  const language = languageIn(account.language) ?? 'en'
  const text = translator(TEXTS, language)
  const { left, currency } = (JSON.parse(body) as EventBody).data as Readonly<
    Record<'left' | 'currency', Money>
  >
  const what = type === 'balance.low' ? 'low' : 'gone'
  const amount = `${formatsIn(language).amount(left, currency)} ${currency}`
  const said = [text('hello', { name: displayName(account) }), '', text(`${what}Text`, { left: amount })]
  return { subject: text(what), text: [...said, ...(seller ? ['', seller] : [])].join('\n') }
}
