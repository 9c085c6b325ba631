import type { Days } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { type Charge, listCharges, periodOfCharge } from '#lib/billing/charges/charge.ts'
import type { NewCharge } from '#lib/billing/charges/charge-plan.ts'
import { type ChargingRun, chargeAccount, dueChargesOf } from '#lib/billing/charges/charge-run.ts'
import type { BillableCharge } from './draft.ts'

/** The charges of an account in periods that begin on these days, and why some could not be made. */
export interface ChargesOfAccount {
  readonly charges: readonly BillableCharge[]
  readonly refused: readonly string[]
}

/** Makes the charges that are due first. */
export async function chargesToIssue(
  run: ChargingRun,
  accountId: number,
  days: Days,
): Promise<ChargesOfAccount> {
  const { refused } = await chargeAccount(run, accountId)
  return { charges: (await storedCharges(run, accountId, days)).map(billable), refused }
}

/** With the charges that an issue would make. They have no ids of their own yet. */
export async function chargesToPreview(
  run: ChargingRun,
  accountId: number,
  days: Days,
): Promise<ChargesOfAccount> {
  const { charges, refused } = await dueChargesOf(run, accountId)
  const due = charges.map((charge, index) => ({ ...charge, id: -1 - index }))
  const all = [...(await storedCharges(run, accountId, days)), ...due]
  return { charges: all.sort(inStoredOrder).map(billable), refused }
}

const storedCharges = async ({ store }: ChargingRun, user: number, days: Days): Promise<ListedCharge[]> =>
  (await Array.fromAsync(listCharges(store, { user }, days))).flat()

type ListedCharge = NewCharge & Pick<Charge, 'id'>

/** Lists of charges ascend by period, subscription and sequence. */
const inStoredOrder = (one: ListedCharge, other: ListedCharge): number =>
  ascending(periodOfCharge(one), periodOfCharge(other)) ||
  one.subscription_id - other.subscription_id ||
  one.sequence - other.sequence

const billable = (charge: ListedCharge): BillableCharge => ({ ...charge, quantity: String(charge.quantity) })
