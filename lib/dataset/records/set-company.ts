import { defineAct } from '#lib/acts/act.ts'
import type { Inputs } from '#lib/acts/inputs.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { changeRecord, refuseValues, type WrittenRecord } from './record-acts.ts'
import { recordFields } from './record-fields.ts'
import { inputsOfChange, valuesOf } from './record-inputs.ts'
import { type RecordContext, recordContext } from './record-kind.ts'
import { kindNamed } from './record-kinds.ts'
import { readRecord } from './record-reading.ts'

/**
 * What a seller's documents say about it, in the order of a form (lib/invoicing/parties.ts). Its country and
 * its VAT number also decide the VAT of the operator's invoices to it: the operator sets these.
 */
const COLUMNS = [
  ...['company_name', 'address', 'postcode', 'city', 'bank'],
  ...['first_name', 'last_name', 'phone', 'email', 'electronic_address', 'legal_number', 'language'],
] as const

const kind = kindNamed('accounts')

/** Its own account is a record of its owner's: the seller changes these columns of it alone. */
const asOperator = <C extends { readonly actor: object }>(context: C) => ({
  ...context,
  actor: { ...context.actor, id: ADMIN_ACCOUNT, usertype: 'admin' as const },
})

/** The fields of a seller's own data, and their values. */
export async function companyOf(context: Parameters<typeof recordContext>[0]) {
  const operator: RecordContext = recordContext(asOperator(context))
  const { record } = await readRecord(operator, 'accounts', String(context.actor.id))
  const fields = new Map(recordFields(kind, operator).map((field) => [field.name, field]))
  return COLUMNS.flatMap((name) => {
    const field = fields.get(name)
    return field ? [{ ...field, value: record.values[name] ?? '' }] : []
  })
}

export const setCompany = defineAct<Inputs, WrittenRecord>({
  summary: 'Change what the own documents say about their seller',
  callers: ['reseller', 'partner'],
  input: Object.fromEntries(
    Object.entries(inputsOfChange(kind)).filter(([name]) => COLUMNS.some((one) => one === name)),
  ),
  readsOthers: true,
  run: (context, given) => {
    const values = valuesOf(given)
    const others = Object.keys(values).filter((name) => !COLUMNS.some((one) => one === name))
    refuseValues(others.map((name) => ({ name, problem: { code: 'unasked' } })))
    return changeRecord(asOperator(context), 'accounts', String(context.actor.id), values, true)
  },
})
