import { type CostMarkup, type MarkupPlan, planMarkup } from '#lib/rates/markup.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import { importLines } from '#lib/rates/sheets/import-sheet.ts'
import { describeChange } from '#lib/rates/tariff-change.ts'
import type { Store } from '#lib/table/store.ts'
import { findTariffNamed } from '../../command-line/named.ts'
import { type Act, operatorOf } from '../../command-line/over-table.ts'
import { agreesTo, CommandError, countOf, printLine } from '../../machine/terminal.ts'

export interface MarkupOptions extends CostMarkup {
  readonly replace?: boolean
  readonly allowRemovals?: boolean
  readonly dryRun?: boolean
  readonly yes?: boolean
}

/** Shows what a markup changes, and makes a version of it if the operator agrees. Returns the exit code. */
export async function markUp(
  store: Store,
  [sold, costs]: readonly [tariff: string, cost: string],
  options: MarkupOptions,
  act: Act,
): Promise<number> {
  const [tariff, cost] = [await findTariffNamed(store, sold), await findTariffNamed(store, costs)]
  if (tariff.id === cost.id) throw new CommandError('A tariff cannot be its own cost: name another one')
  const markup = { ...options, prefix: digitsOf(options.prefix) }
  const plan = await planMarkup({
    store,
    tariff,
    cost,
    markup,
    isWhole: options.replace ?? false,
    now: act.now,
  })
  for (const line of describePlan(plan)) printLine(line)
  if (options.dryRun) return 0
  const remedy = await remedyFor(plan, options)
  if (remedy !== undefined) return notDone(remedy)
  const outcome = await importLines(plan, { who: await operatorOf(store, act) })
  printLine(`Tariff ${tariff.id} is ${outcome === 'written' ? 'switched' : 'unchanged'}`)
  return 0
}

/** What the operator has to do before the version is made; `undefined` if nothing is left. */
async function remedyFor({ removals }: MarkupPlan, options: MarkupOptions): Promise<string | undefined> {
  if (removals !== undefined && !options.allowRemovals) return 'pass --allow-removals'
  const isAgreed = options.yes || (await agreesTo('Make this version?'))
  return isAgreed ? undefined : 'agree at a terminal, or pass --yes'
}

const describePlan = ({ tariff, change, customers, warnings, removals, rates }: MarkupPlan): string[] => [
  `${countOf(rates, 'rate')} of tariff ${tariff.id} (${tariff.name}) from costs: ${describeChange(change)}`,
  `customers of the tariff: ${customers}`,
  ...warnings,
  ...(removals === undefined ? [] : [removals]),
]

function notDone(remedy: string): number {
  printLine(`Nothing was changed: ${remedy}`)
  return 1
}
