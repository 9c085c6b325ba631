import { adjustments } from '#lib/billing/adjustment.ts'
import { type Payment, payments } from '#lib/billing/payment.ts'
import type { Call } from '#lib/calls/call.ts'
import { callsIn, type DumpedItem } from '#test/dump.ts'

/** Balances of accounts in millionths, by id. The model adds whole numbers, one after another. */
type Ledger = Map<number, bigint>

const MILLIONTHS = 6

function millionthsOf(amount: unknown): bigint {
  const [, sign, whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount ?? '0')) ?? []
  if (decimals.length > MILLIONTHS) throw new Error(`${amount} has more than 6 decimals`)
  const size = BigInt(whole + decimals.padEnd(MILLIONTHS, '0'))
  return sign === '-' ? -size : size
}

const addTo = (ledger: Ledger, id: number, by: bigint) => void ledger.set(id, (ledger.get(id) ?? 0n) + by)

const dayOfUtc = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

type Entries = readonly (readonly [accountId: number, millionths: bigint])[]

/** What accounts have by the rows alone, without sums and marks; `undefined` without balances. In UTC. */
export function expectedBalances(items: readonly DumpedItem[]): Ledger | undefined {
  const settings = items.find(({ PK, SK }) => PK === 'SETTINGS' && SK === 'SETTINGS')
  const from = String(settings?.['Balance_From'] ?? '')
  if (from === '') return undefined
  const ledger: Ledger = new Map()
  const entries = items.flatMap((item) => [...openingOf(item), ...documentOf(item, from)])
  for (const [id, by] of [...entries, ...callsIn(items).flatMap((call) => chargesSince(call, from))])
    addTo(ledger, id, by)
  return ledger
}

const openingOf = ({ SK, id, balance }: DumpedItem): Entries =>
  SK === 'USER' ? [[Number(id), millionthsOf(balance)]] : []

function documentOf(item: DumpedItem, from: string): Entries {
  if (item.SK.startsWith('ADJUSTMENT#')) {
    const { user_id, date, amount } = adjustments.readRow(item)
    return dayOfUtc(date) < from ? [] : [[user_id, millionthsOf(amount)]]
  }
  return item.SK.startsWith('PAYMENT#') ? paymentOf(payments.readRow(item), from) : []
}

function paymentOf(payment: Payment, from: string): Entries {
  const { user_id, completed, confirm_date, date, currency, amount, booked } = payment
  if (!completed || dayOfUtc(confirm_date ?? date) < from) return []
  return [[user_id, millionthsOf(currency === '' ? amount : booked)]]
}

function chargesSince(call: Call, from: string): Entries {
  const { day, user_id, owner_id, direct, user_price, reseller_price } = call
  if (day < from) return []
  const own = [user_id, -millionthsOf(user_price)] as const
  return direct ? [own] : [own, [owner_id, -millionthsOf(reseller_price)]]
}

/** What the sums of the table say. */
export function storedBalances(items: readonly DumpedItem[]): Ledger {
  const ledger: Ledger = new Map()
  for (const { PK, SK, id, balance, paid, adjusted, charged } of items) {
    if (SK === 'USER') addTo(ledger, Number(id), millionthsOf(balance))
    if (SK !== 'BALANCE') continue
    addTo(
      ledger,
      Number(PK.split('#')[1]),
      millionthsOf(paid) + millionthsOf(adjusted) - millionthsOf(charged),
    )
  }
  return ledger
}
