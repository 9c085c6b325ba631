import { actsFor, seesEveryone } from '#lib/base/scope.ts'
import type { TariffPlan } from '#lib/rates/replacement.ts'
import { importLines, type PlannedLines } from '#lib/rates/sheets/import-sheet.ts'
import type { Tariff } from '#lib/rates/tariff.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { carrying } from '#lib/table/requests/carrying.ts'
import { type Change, is } from '#lib/table/requests/changes.ts'
import { ConsoleRefusal, forbidden, invalidValue } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'
import { ratesThatDiffer } from './tariff-changes.ts'
import { mayChangeTariff, visibleTariff } from './tariff-rows.ts'

/** A request lasts 29 seconds at most. The command has no such limit. */
const MOST_PLANNED_RATES = 100_000

/** New rates of a tariff that a request plans, and may write. */
type RatePlan = TariffPlan & PlannedLines & { readonly before: Iterable<string> }

/** The tariff of a path, if the account of the session may change it. */
export async function changeableTariff(request: Parameters<typeof visibleTariff>[0]): Promise<Tariff> {
  const tariff = await visibleTariff(request)
  if (!mayChangeTariff(request.caller, tariff))
    throw forbidden(`Tariff ${tariff.id} belongs to another account.`)
  return tariff
}

/** Refuses more rates than a request has the time for. */
export function refuseMoreRates(rates: number | undefined, what: string, command: string): void {
  if (rates !== undefined && rates > MOST_PLANNED_RATES)
    throw invalidValue(`${what} has more than ${MOST_PLANNED_RATES} rates: run npx tollgate ${command}.`)
}

export const planRow = ({ tariff, ...plan }: RatePlan, { settings }: Pick<ConsoleRequest, 'settings'>) => ({
  ...ratesThatDiffer(plan.before, plan.lines, settings),
  currency: tariff.currency || settings.Default_Currency,
  summary: describeChange(plan.change),
  customers: plan.customers,
  warnings: [...plan.warnings],
  removals: plan.removals ?? null,
  compared: tariff.active?.version ?? null,
})

/** Refuses to write a plan that nobody has seen: the tariff has other rates by now. */
export function refuseUnseen({ tariff }: PlannedLines, compared: number | undefined): void {
  if (compared === tariff.active?.version) return
  const message = `Tariff ${tariff.id} has other rates than those that were compared: preview again.`
  throw new ConsoleRefusal('conflict', message)
}

/** Makes a version of the planned rates, in one transaction with its log entry and owner check. */
export function writePlan(
  plan: RatePlan,
  { caller, logged }: Pick<ConsoleRequest, 'caller' | 'logged'>,
  did: string,
  others: readonly Change[] = [],
): Promise<'written' | 'unchanged'> {
  const { tariff } = plan
  const action = `${did} tariff ${tariff.id} ${JSON.stringify(tariff.name)}: ${describeChange(plan.change)}`
  const owned = { check: tariffKey(tariff.id), when: { owner_id: is(actsFor(caller)) } }
  const besides = [logged({ action }), ...others, ...(seesEveryone(caller) ? [] : [owned])]
  const store = carrying(plan.store, (changes) => changes.length > 1, besides)
  return importLines({ ...plan, store }, { who: caller.username })
}
