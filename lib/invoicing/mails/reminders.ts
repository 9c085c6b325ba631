import * as v from 'valibot'
import { findWholeAccount, findWholeAccounts, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import { accountInput, optionalInput } from '#lib/acts/inputs.ts'
import { GREETING, type Mail, requireMails } from '#lib/alerts/mail.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { DAY_MS, type Day, dayOf, secondsOf, today } from '#lib/base/calendar.ts'
import { inBatches } from '#lib/base/collections.ts'
import { formatsIn, type Translations, translator } from '#lib/base/language/language.ts'
import { add, isLessThan, isPositive, type Money, subtract, ZERO } from '#lib/base/money.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { actsFor } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { daysLate, dueDayOf, findInvoices, type Invoice, listInvoices } from '#lib/billing/invoice.ts'
import { openAmount } from '#lib/billing/invoice-payment.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { takesCard } from '#lib/billing/stripe/checkout.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Item } from '#lib/table/items.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import { inMinorUnits } from '../amounts.ts'
import { renderedStatement } from '../documents/statement.ts'
import { askedReminder, hasReachedNobody, type Mailing, readMailing, reminderKey } from '../mailing.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** The setting Reminder_Days is blank. */
    readonly reminders_off: Record<never, never>
    readonly reminder_settled: Record<never, never>
  }
}

type Source = Pick<ActContext, 'store' | 'settings' | 'now'>

/** A reminder of the invoices of a customer that are late, in one currency or several. */
export interface DueReminder {
  readonly account: WholeAccount
  readonly seller: number
  /** That of the invoice that is late for longest: 1 to 3. */
  readonly level: number
  readonly invoices: readonly LateInvoice[]
  /** The earlier mail. */
  readonly before: Item | undefined
}

interface LateInvoice {
  readonly id: number
  readonly number: string
  readonly due: Day
  readonly currency: string
  readonly open: Money
  readonly level: number
}

/** The days after the due day at which each level is reached; none if reminders are off. */
const levelsOf = ({ Reminder_Days }: Pick<Settings, 'Reminder_Days'>): number[] =>
  Reminder_Days === '' ? [] : Reminder_Days.split(',').map(Number)

const CUSTOMERS_AT_ONCE = 50

/**
 * The reminders of a seller that are due: a level follows the one before it, after the days between them.
 * A payment of the customer that names no invoice counts against the late ones.
 */
export async function* dueReminders(
  source: Source,
  seller: number,
  customer?: number,
): AsyncGenerator<DueReminder> {
  if (levelsOf(source.settings).length === 0) return
  const late = await lateInvoices(source, seller, customer)
  for await (const some of inBatches(late.keys(), CUSTOMERS_AT_ONCE)) {
    const accounts = await findWholeAccounts(source.store, some)
    const items = await source.store.getMany(some.map((id) => reminderKey(id, seller)))
    for (const [index, account] of accounts.entries()) {
      const due = account && (await dueOf(source, account, seller, late.get(account.id) ?? [], items[index]))
      if (due) yield due
    }
  }
}

async function lateInvoices({ store, settings, now }: Source, seller: number, customer: number | undefined) {
  const day = today(now, settings.Timezone)
  const late = new Map<number, Invoice[]>()
  const scope = customer === undefined ? { owner: seller } : { user: customer, seller }
  for await (const page of listInvoices(store, scope))
    for (const invoice of page)
      if (daysLate(invoice, day) > 0 && isPositive(openAmount(invoice)))
        late.set(invoice.user_id, [...(late.get(invoice.user_id) ?? []), invoice])
  return late
}

async function dueOf(
  { store, settings, now }: Source,
  account: WholeAccount,
  seller: number,
  late: readonly Invoice[],
  before: Item | undefined,
): Promise<DueReminder | undefined> {
  const mailed = before && readMailing(before)
  if (mailed?.state === 'waiting' || mailed?.state === 'sending') return undefined
  const levels = levelsOf(settings)
  const day = today(now, settings.Timezone)
  const reminded = mailed ? remindedBy(mailed) : {}
  const since = mailed
    ? (Date.parse(day) - Date.parse(dayOf(secondsOf(new Date(mailed.asked)), settings.Timezone))) / DAY_MS
    : Number.POSITIVE_INFINITY
  const figures = await findFigures(store, settings, account.id, seller)
  const invoices = late.flatMap((invoice): LateInvoice[] => {
    const last = reminded[invoice.id] ?? 0
    const level = Math.min(levels.filter((days) => days <= daysLate(invoice, day)).length, last + 1)
    if (level === 0) return []
    const { id, number } = invoice
    const currency = invoice.currency || settings.Default_Currency
    return [{ id, number, due: dueDayOf(invoice), currency, open: openAmount(invoice), level }]
  })
  const isOwed = (currency: string): boolean => {
    const open = add(ZERO, ...invoices.filter((one) => one.currency === currency).map((one) => one.open))
    const { unassigned = ZERO } = figures.find((one) => one.currency === currency) ?? {}
    const owed = subtract(open, unassigned)
    return isPositive(owed) && !isLessThan(owed, settings.Reminder_Least || ZERO)
  }
  const owed = invoices.filter(({ currency }) => isOwed(currency))
  const isNext = ({ id, level }: LateInvoice): boolean => {
    const last = reminded[id] ?? 0
    return level > last && (last === 0 || since >= (levels[level - 1] ?? 0) - (levels[last - 1] ?? 0))
  }
  const next = owed.filter(isNext)
  if (next.length === 0) return undefined
  return { account, seller, invoices: owed, before, level: Math.max(...next.map(({ level }) => level)) }
}

export const openByCurrency = (invoices: DueReminder['invoices']): string[] =>
  [...Map.groupBy(invoices, ({ currency }) => currency)].map(
    ([currency, some]) => `${inMinorUnits(add(ZERO, ...some.map(({ open }) => open)), currency)} ${currency}`,
  )

const levelsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.number()))

/** The level of each invoice: a mail that was refused or came back does not count. */
const remindedBy = (mailing: Mailing): Record<string, number> =>
  v.parse(levelsSchema, hasReachedNobody(mailing) ? mailing.reminded : mailing.reminds)

interface Reminded {
  readonly reminded: number
  readonly without_address: number
}

export const remind = defineAct({
  summary: 'Remind customers of invoices that are late, by mail, as Reminder_Days says',
  callers: MANAGERS,
  input: { customer: optionalInput(accountInput('the only customer (default: all whose reminder is due)')) },
  run: async (context, { customer }): Promise<Done<Reminded>> => {
    const { store, settings, now, actor } = context
    requireMails(settings)
    if (levelsOf(settings).length === 0) throw new Refusal('reminders_off', {})
    const seller = actsFor(actor) ?? actor.id
    return {
      begins: 'sends reminders',
      async *steps() {
        const done = { reminded: 0, without_address: 0 }
        for await (const due of dueReminders(context, seller, customer?.id)) {
          const { account, level, invoices, before } = due
          const earlier = before ? remindedBy(readMailing(before)) : {}
          const reminds = { ...earlier, ...Object.fromEntries(invoices.map((one) => [one.id, one.level])) }
          const number = invoices.map((one) => one.number).join(', ')
          const reminded = JSON.stringify(earlier)
          const reminder = { level, number, reminded, reminds: JSON.stringify(reminds) }
          const asked = { by: actor.username, now, before }
          const { update, to, when } = askedReminder(account, seller, reminder, asked)
          if (!(await hasWritten(store.update(update, to, when)))) continue
          if (to.set?.['state'] === 'waiting') done.reminded += 1
          else done.without_address += 1
          yield countOf(done.reminded, 'reminder')
        }
        return { answer: done, did: `sends ${countOf(done.reminded, 'reminder')}` }
      },
    }
  },
})

/** Where a customer pays by card. */
export const CARD_LINE = [
  'Or pay by card: {page}',
  'Oder zahlen Sie mit Karte: {page}',
  'Ou payez par carte : {page}',
  'O pague con tarjeta: {page}',
] as const satisfies Translations

const TEXTS = {
  title1: ['Reminder', 'Zahlungserinnerung', 'Rappel', 'Recordatorio de pago'],
  title2: ['Second reminder', 'Zweite Mahnung', 'Deuxième rappel', 'Segundo recordatorio'],
  title3: ['Last reminder', 'Letzte Mahnung', 'Dernier rappel', 'Último recordatorio'],
  hello: GREETING,
  card: CARD_LINE,
  late: [
    'These invoices are not paid yet:',
    'Diese Rechnungen sind noch nicht bezahlt:',
    'Ces factures ne sont pas encore réglées :',
    'Estas facturas aún no están pagadas:',
  ],
  line: [
    '{number}, due on {day}: {amount}',
    '{number}, fällig am {day}: {amount}',
    '{number}, échéance le {day} : {amount}',
    '{number}, vencida el {day}: {amount}',
  ],
  lineOfDay: [
    '{number} of {day}: {amount}',
    '{number} vom {day}: {amount}',
    '{number} du {day} : {amount}',
    '{number} del {day}: {amount}',
  ],
  pay: [
    'Please pay them now. Your statement is attached. If you have already paid, no action is needed.',
    'Bitte zahlen Sie jetzt. Ihr Kontoauszug liegt bei. Haben Sie inzwischen gezahlt, ist nichts mehr zu tun.',
    "Merci de les régler maintenant. Votre relevé est joint. Si vous avez payé entre-temps, il n'y a rien à faire.",
    'Páguelas ahora, por favor. Adjuntamos su extracto. Si ya ha pagado, no tiene que hacer nada más.',
  ],
} as const satisfies Record<string, Translations>

const TITLES = ['title1', 'title2', 'title3'] as const

/** Makes the mail of a reminder, with the amount that is open when it is sent. */
export async function reminderMail(
  source: Pick<ActContext, 'store' | 'settings' | 'now'>,
  mailing: Mailing,
): Promise<Mail> {
  const { store, settings, now } = source
  const { user_id, to, message_id, level } = mailing
  const account = await findWholeAccount(store, user_id)
  const numbers = mailing.number.split(', ')
  const ids = Object.keys(v.parse(levelsSchema, mailing.reminds))
  const found = await findInvoices(store, ids)
  const open = found
    .filter((invoice) => invoice !== undefined)
    .filter((invoice) => numbers.includes(invoice.number) && isPositive(openAmount(invoice)))
  const [first] = open
  if (!account || !first) throw new Refusal('reminder_settled', {})
  const days = { from: first.issue_date, till: today(now, settings.Timezone) }
  const { printed, name, type, pieces } = await renderedStatement(source, account, days, 'pdf')
  const { language, seller, buyer } = printed
  const formats = formatsIn(language)
  const text = translator(TEXTS, language)
  const lines = open.map((invoice) => {
    const currency = invoice.currency || settings.Default_Currency
    const amount = `${formats.amount(openAmount(invoice), currency)} ${currency}`
    const { number, due_date } = invoice
    return text(due_date === undefined ? 'lineOfDay' : 'line', {
      ...{ number, amount },
      day: formats.day(dueDayOf(invoice)),
    })
  })
  const said = [
    ...[text('hello', { name: buyer.name }), '', text('late'), ...lines, '', text('pay'), ''],
    ...[
      seller.bank,
      open.some((one) => takesCard(settings, one)) ? text('card', { page: settings.Page_Address }) : '',
    ],
    ...['', settings.Reminder_Sentence, '', seller.name],
  ]
  return {
    ...{ by: 'SES', to, messageId: message_id, from: { name: seller.name, replyTo: seller.email } },
    subject: [text(TITLES[level - 1] ?? 'title1'), seller.name].filter(Boolean).join(', '),
    text: said
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    attachments: [{ name, type, content: Buffer.concat(await Array.fromAsync(pieces)) }],
  }
}
