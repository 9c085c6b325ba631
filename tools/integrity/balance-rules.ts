import { findAccounts } from '#lib/accounts/account.ts'
import { chargesOf, isCharged } from '#lib/base/balance.ts'
import { isZero, type Money, ZERO } from '#lib/base/money.ts'
import { BALANCE_SUMS, type balanceKey, ledgerAttributes } from '#lib/billing/balance-item.ts'
import type { Document, DocumentEntity } from '#lib/billing/document.ts'
import type { Call } from '#lib/calls/call.ts'
import { LEDGER_SINCE, type Settings } from '#lib/settings/settings.ts'
import { type KeyValues, keyIn } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import type { Circumstances, Expectation, Rule } from './expectation.ts'
import { reconcile } from './reconcile.ts'

/** A part of a balance. Documents add to the item that they name, calls to any part of an account. */
export const balanceRule: Rule<KeyValues<typeof balanceKey>> = (item, circumstances, { account, shard }) => [
  ...[...BALANCE_SUMS, ...(circumstances.format < LEDGER_SINCE ? [] : ledgerAttributes(item))].flatMap(
    (name): Expectation[] => {
      const counts = String(item[name] ?? ZERO)
      if (name === 'charged') return knowsCharges(circumstances) ? [chargedTo(account, { counts })] : []
      return item[name] === undefined ? [] : [{ total: totalName(name, keyIn(item).PK), counts }]
    },
  ),
  ...(Number(shard) === 0 && circumstances.settings.Charged_From !== ''
    ? [{ wrongIf: (store: Store) => unreconciled(store, circumstances, Number(account)) }]
    : []),
]

/** Documents, and what none of them has billed, make the balance. */
async function unreconciled(
  store: Store,
  { settings }: Circumstances,
  id: number,
): Promise<string | undefined> {
  const [account] = await findAccounts(store, [id])
  const found = account && (await reconcile({ store, settings }, account))
  if (!found || (isZero(found.difference) && found.where.length === 0)) return undefined
  const { balance, difference, where } = found
  return `The balance of account ${id} is ${balance}, which is ${difference} more than its parts: ${where.join('; ')}.`
}

/** The total of what documents add to an attribute of an item. */
export const totalName = (attribute: string, partition: string): string => `${attribute} of ${partition}`

type Amount = { readonly counts: Money } | { readonly adds: Money }

/** Archived calls charge their accounts, too. */
const knowsCharges = ({ settings, bucket }: Circumstances): boolean =>
  bucket !== undefined || settings.archivedBefore === undefined

export const chargedTo = <A extends Amount>(account: number | string, amount: A) => ({
  total: `what calls charge account ${account}`,
  ...amount,
})

const REMEDY = 'npx tollgate balance open --day'

/** A call is charged by its day. Its charge is in the balances, unless the archive counts it. */
export function expectCharges(call: Call, circumstances: Circumstances, isCounted: boolean): Expectation[] {
  const { settings } = circumstances
  const { uniqueid, day, charged } = call
  const isRight = isCharged(day, settings) === (charged === true)
  const wrong = `Call ${uniqueid} on ${day} is ${charged ? 'charged' : 'not charged'} to balances, unlike its day: ${REMEDY} ${settings.Charged_From}`
  return [
    ...(isRight ? [] : [{ wrong }]),
    ...(isCounted && knowsCharges(circumstances) ? chargesOf(call) : []).map(([account, price]) =>
      chargedTo(account, { adds: price }),
    ),
  ]
}

/** A payment, an adjustment or a charge is booked if balances count it. */
export const bookedRule =
  <D extends Document & { readonly booked?: Money | undefined }>(
    documents: DocumentEntity<D>,
    counts: (row: D, settings: Settings) => boolean,
  ): Rule =>
  (item, { settings }) => {
    const row = documents.read(item)
    if (counts(row, settings) === (row.booked !== undefined)) return []
    const isBooked = row.booked === undefined ? 'not booked' : 'booked'
    const wrong = `The ${documents.name} ${row.id} is ${isBooked} in the balance, unlike its day: ${REMEDY} ${settings.Charged_From}`
    return [{ wrong }]
  }
