import type { Days } from '#lib/base/calendar.ts'
import { type Charge, listCharges } from '#lib/billing/charges/charge.ts'
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
  return { charges: await storedCharges(run, accountId, days), refused }
}

/** With the charges that an issue would make. They have no ids of their own yet. */
export async function chargesToPreview(
  run: ChargingRun,
  accountId: number,
  days: Days,
): Promise<ChargesOfAccount> {
  const { charges, refused } = await dueChargesOf(run, accountId)
  const due = charges.map((charge, index) => billable({ ...charge, id: -1 - index }))
  return { charges: [...(await storedCharges(run, accountId, days)), ...due], refused }
}

async function storedCharges({ store }: ChargingRun, user: number, { from, till }: Days) {
  const pages = await Array.fromAsync(listCharges(store, { user }, { from, till }))
  return pages.flat().map(billable)
}

const billable = (charge: NewCharge & Pick<Charge, 'id'>): BillableCharge => ({
  ...charge,
  quantity: String(charge.quantity),
})
