import { findWholeAccount, type WholeAccount } from '#lib/accounts/whole-account.ts'
import { type Done, defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { Inputs } from '#lib/acts/inputs.ts'
import type { AccountType } from '#lib/base/account-types.ts'
import { isRefusal, Refusal } from '#lib/base/refusal.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { askedEmailNotice } from '#lib/invoicing/mails/mailing.ts'
import { isMailAddress } from '#lib/settings/declared-settings.ts'
import { changeRecord, refuseValues, type WrittenRecord } from './record-acts.ts'
import { recordFields } from './record-fields.ts'
import { inputsOfChange, valuesOf } from './record-inputs.ts'
import { type RecordContext, recordContext } from './record-kind.ts'
import { kindNamed } from './record-kinds.ts'
import { readRecord } from './record-reading.ts'

const SHARED = ['phone', 'email', 'electronic_address', 'language'] as const

/**
 * What an account's documents say about it, in the order of a form (lib/invoicing/parties.ts). Its country
 * and its VAT number also decide the VAT of what it is billed, and the company of a customer is whom its
 * invoices bill: its owner sets these.
 */
const OF_SELLERS = [
  ...['company_name', 'address', 'postcode', 'city', 'bank', 'first_name', 'last_name', 'legal_number'],
  ...SHARED,
]
const OF_CUSTOMERS = ['address', 'postcode', 'city', 'mob_phone', 'alert_at', ...SHARED]

const columnsFor = ({ usertype }: { readonly usertype: AccountType }): readonly string[] =>
  usertype === 'user' ? OF_CUSTOMERS : OF_SELLERS

const kind = kindNamed('accounts')

/** Its own account is a record of its owner's: the account changes these columns of it alone. */
const asOperator = <C extends Pick<ActContext, 'actor'>>(context: C) => ({
  ...context,
  actor: { ...context.actor, id: ADMIN_ACCOUNT, usertype: 'admin' as const },
})

/** The fields of an account's own data, and their values. */
export async function ownDetailsOf(context: Parameters<typeof recordContext>[0]) {
  const operator: RecordContext = recordContext(asOperator(context))
  const { record } = await readRecord(operator, 'accounts', String(context.actor.id))
  const fields = new Map(recordFields(kind, operator).map((field) => [field.name, field]))
  return columnsFor(context.actor).flatMap((name) => {
    const field = fields.get(name)
    return field ? [{ ...field, value: record.values[name] ?? '' }] : []
  })
}

/** The earlier address is told of a new one: a thief of a session or a password cannot hide the change. */
export const setOwnDetails = defineAct<Inputs, WrittenRecord>({
  summary: 'Change what the own account says about itself, such as its address',
  callers: ['user', 'reseller', 'partner'],
  input: Object.fromEntries(
    Object.entries(inputsOfChange(kind)).filter(([name]) => [...OF_SELLERS, ...OF_CUSTOMERS].includes(name)),
  ),
  readsOthers: true,
  run: async (context, given) => {
    const { store, actor } = context
    const values = valuesOf(given)
    const others = Object.keys(values).filter((name) => !columnsFor(actor).includes(name))
    refuseValues(others.map((name) => ({ name, problem: { code: 'unasked' } })))
    const { email } = values
    if (email && !isMailAddress(email)) refuseValues([{ name: 'email', problem: NO_MAIL_ADDRESS }])
    const before = await findWholeAccount(store, actor.id)
    const done = await changeRecord(asOperator(context), 'accounts', String(actor.id), values, true).catch(
      withoutOthers,
    )
    return before && email !== undefined && email !== before.email ? withNotice(context, before, done) : done
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
