import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import { type ActContext, loginIn } from '#lib/acts/context.ts'
import { type Inputs, optionalInput, secretInput } from '#lib/acts/inputs.ts'
import { listEndpoints, receives } from '#lib/alerts/endpoint.ts'
import { isWanted } from '#lib/alerts/event.ts'
import type { EventType } from '#lib/alerts/event-types.ts'
import { BILLED } from '#lib/base/account-types.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { askedEmailNotice } from '#lib/invoicing/mailing.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import { changeRecord, refuseValues, type WrittenRecord } from './record-acts.ts'
import { type RecordField, recordFields } from './record-fields.ts'
import { inputsOfChange, valuesOf } from './record-inputs.ts'
import { type RecordContext, recordContext } from './record-kind.ts'
import { kindNamed } from './record-kinds.ts'
import { readRecord } from './record-reading.ts'

const SHARED = ['phone', 'email', 'electronic_address', 'language'] as const

/**
 * The texts of an account's documents about it, in the order of a form (lib/invoicing/parties.ts). Its
 * country and its VAT number also decide the VAT of its bills, and a customer's company is the party that
 * its invoices bill: its owner sets these.
 */
const OF_SELLERS = [
  ...['company_name', 'address', 'postcode', 'city', 'bank', 'first_name', 'last_name', 'legal_number'],
  ...['invoice_number_format', 'credit_note_number_format'],
  ...SHARED,
]
/** Printed on a seller's documents, and set by its owner. */
const SHOWN_TO_SELLERS = ['vat_number', 'taxation_country']

const OF_CUSTOMERS = ['address', 'postcode', 'city', 'mob_phone', 'alert_at', ...SHARED]

async function columnsFor(context: Pick<ActContext, 'store' | 'settings' | 'actor'>) {
  if (context.actor.usertype !== 'user') return OF_SELLERS
  const isAlerted = await ownsThresholds(context)
  return OF_CUSTOMERS.filter((name) => isAlerted || name !== 'alert_at')
}

const OF_THRESHOLDS: readonly EventType[] = ['balance.low', 'balance.exhausted']

/**
 * Whether mails to the customer are all that its thresholds decide: without them, the operator's other
 * endpoints hear nothing of its balance. Without a subscription, nothing is read.
 */
async function ownsThresholds({ store, settings, actor }: Parameters<typeof columnsFor>[0]) {
  const isOn =
    actor.owner_id === ADMIN_ACCOUNT && settings.Charged_From !== '' && isWanted(settings, 'balance.low')
  const endpoints = isOn ? await listEndpoints(store, ADMIN_ACCOUNT) : []
  const hearing = endpoints.filter(({ events }) => events.some((type) => OF_THRESHOLDS.includes(type)))
  return hearing.some(receives) && hearing.every(({ url }) => url === 'mailto:customer')
}

const kind = kindNamed('accounts')

/** Its own account is a record of its owner's: the account changes these columns of it alone. */
const asOperator = <C extends Pick<ActContext, 'actor'>>(context: C) => ({
  ...context,
  actor: { ...context.actor, id: ADMIN_ACCOUNT, owner_id: ADMIN_ACCOUNT, usertype: 'admin' as const },
})

/** The fields of an account's own data, and their values; a seller sees two that its owner sets. */
export async function ownDetailsOf(context: Parameters<typeof recordContext>[0]) {
  const operator: RecordContext = recordContext(asOperator(context))
  const { record } = await readRecord(operator, 'accounts', String(context.actor.id))
  const fields = new Map(recordFields(kind, operator).map((field) => [field.name, field]))
  const own = await columnsFor(context)
  const shown = context.actor.usertype === 'user' ? own : [...own, ...SHOWN_TO_SELLERS]
  return shown.flatMap((name) => {
    const field = fields.get(name)
    const found = field && { ...field, value: record.values[name] ?? '', mayChange: own.includes(name) }
    if (!found) return []
    return name === 'email' ? [found, PASSWORD] : [found]
  })
}

/** Follows the email, which is not changed without it. */
const PASSWORD: RecordField & { readonly value: string; readonly mayChange: boolean } = {
  ...{ name: 'password', label: 'Current password', says: 'Another email needs it', blank: '', default: '' },
  ...{ control: 'text', choices: [], of: undefined, value: '' },
  ...{ isRequired: false, isSecret: true, isOfChange: false },
  mayChange: true,
}

/** A stolen session sets no other email, and the earlier address is notified: no thief hides the change. */
export const setOwnDetails = defineAct<Inputs, WrittenRecord>({
  summary: 'Change what the own account says about itself, such as its address',
  callers: BILLED,
  input: {
    ...Object.fromEntries(
      Object.entries(inputsOfChange(kind)).filter(([name]) =>
        [...OF_SELLERS, ...OF_CUSTOMERS].includes(name),
      ),
    ),
    password: optionalInput(
      secretInput('the present password, which another email needs', 'text', () => true),
    ),
  },
  readsOthers: true,
  run: async (context, { password = '', ...given }) => {
    const { store, actor } = context
    const values = valuesOf(given)
    const columns = await columnsFor(context)
    const others = Object.keys(values).filter((name) => !columns.includes(name))
    refuseValues(others.map((name) => ({ name, problem: { code: 'unasked' } })))
    const { email } = values
    if (email && !isMailAddress(email)) refuseValues([{ name: 'email', problem: NO_MAIL_ADDRESS }])
    const account = email === undefined ? undefined : await findWholeAccount(store, actor.id)
    const before = account?.email === email ? undefined : account
    if (before) await loginIn(context).confirmPassword(String(password))
    const done = await changeRecord(asOperator(context), 'accounts', String(actor.id), values, true).catch(
      withoutOthers,
    )
    return before ? withNotice(context, before, done) : done
  },
})

const NO_MAIL_ADDRESS = 'an email is an address such as carol@example.com'

/** Which other account has an email is nothing that its customer may know. */
function withoutOthers(error: unknown): never {
  if (!isRefusal(error, 'refused_values')) throw error
  const problems = error.values.problems.map((problem) => ({ ...problem, isLimited: true }))
  throw new Refusal('refused_values', { problems })
}

function withNotice(
  { settings, now, actor }: ActContext,
  before: WholeAccount,
  done: Done<WrittenRecord>,
): Done<WrittenRecord> {
  const isTold = settings.Mail_From !== '' && isMailAddress(before.email.trim())
  if (!isTold || !('changes' in done)) return done
  return { ...done, changes: [...done.changes, askedEmailNotice(before, { by: actor.username, now })] }
}
