import { type Act, defineAct } from '#lib/acts/act.ts'
import { type Inputs, idInput, optionalInput, switchInput } from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import { Refusal } from '#lib/base/refusal.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { MarkupPlan } from '../markup.ts'
import type { OriginPlan } from '../origins/origin-plan.ts'
import { type Obstacle, obstacleTo, type PlannedLines, type TariffPlan } from '../replacement.ts'
import { obstacleToSheet, type SheetPlan } from '../sheets/import-sheet.ts'
import { keepProfile, type Profile } from '../sheets/profile.ts'
import { ratesOf } from '../tariff.ts'
import { describeChange } from '../tariff-change.ts'
import { listSwitches } from '../version-history.ts'
import { type NewLines, preparedLines } from '../version-replacement.ts'
import { tariffStays } from './tariff-input.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    /** An obstacle to new rates that was not permitted. */
    readonly rates_obstacle: { readonly tariff: number; readonly obstacle: Obstacle }
    /** The tariff has other rates than those that the person has seen compared. */
    readonly other_rates: {
      readonly tariff: number
      readonly by: { readonly who: string; readonly at: string } | undefined
    }
  }
}

interface RatesWritten {
  readonly id: number
  readonly isWritten: 'written' | 'unchanged'
}

const callers = OWNERS

const input = {
  compared: optionalInput(idInput('the version that was compared, 0 for none (default: the present one)')),
  acceptRejected: switchInput('import the other rows even if some are refused'),
  allowRemovals: switchInput(
    'go on even if that removes more than a tenth of the prefixes, or leaves no rate in force today',
  ),
  withGaps: switchInput('go on even if hours of the week have no price, or two'),
}

type Writing = Pick<NewLines, 'onProgress' | 'signal'>

/** The act that makes a version of the rates of a sheet. A person has seen what it changes. */
export const importSheetAct = (
  plan: SheetPlan,
  profile: Profile,
  writing: Writing = {},
): Act<Inputs, RatesWritten> =>
  writingAct('Import a rate sheet into a tariff', plan, {
    ...{ writing, did: `imported a rate sheet of ${plan.rates.lines.length} rates into` },
    beside: [keepProfile(plan.tariff.id, profile)],
    obstacleIn: (permission) =>
      obstacleToSheet(plan, {
        ...permission,
        withGaps: permission.withGaps || profile.gaps === 'allowed',
      }),
  })

/** The act that makes a version of a tariff with other origins of callers. */
export const setOriginsAct = (plan: OriginPlan): Act<Inputs, RatesWritten> =>
  writingAct('Set the origins of callers of a tariff', plan, {
    did: `set origins (${plan.summary}) of`,
    obstacleIn: async () => undefined,
  })

/** The act that makes a version of rates that follow from costs. */
export const markUpAct = (plan: MarkupPlan, cost: { readonly id: number }): Act<Inputs, RatesWritten> =>
  writingAct('Make the prices of a tariff from the costs in another one', plan, {
    did: `marked up ${plan.rates} rates of tariff ${cost.id} in`,
    obstacleIn: (permission) =>
      obstacleTo({ refused: 0, isEmpty: false, removals: plan.removals }, permission),
  })

interface WritingRules {
  readonly did: string
  readonly beside?: readonly Change[]
  readonly writing?: Writing
  obstacleIn(permission: {
    readonly acceptRejected: boolean
    readonly allowRemovals: boolean
    readonly withGaps: boolean
  }): Promise<Obstacle | undefined>
}

const writingAct = (
  summary: string,
  plan: TariffPlan & PlannedLines,
  { did, beside = [], writing, obstacleIn }: WritingRules,
): Act<Inputs, RatesWritten> =>
  defineAct<Inputs, RatesWritten>({
    summary,
    callers,
    input,
    run: async (context, given) => {
      const { store, now: at, actor, lostRaces } = context
      const { tariff, lines, origins, change } = plan
      const { id, name, active } = tariff
      const isSeen = (given['compared'] ?? active?.version ?? 0) === (active?.version ?? 0)
      if (!isSeen || lostRaces > 0) {
        const last = (await listSwitches(store, ratesOf(id))).at(-1)
        throw new Refusal('other_rates', { tariff: id, by: last && { who: last.who, at: last.at } })
      }
      const obstacle = await obstacleIn({
        acceptRejected: given['acceptRejected'] === true,
        allowRemovals: given['allowRemovals'] === true,
        withGaps: given['withGaps'] === true,
      })
      if (obstacle !== undefined) throw new Refusal('rates_obstacle', { tariff: id, obstacle })
      const madeFrom = { version: active?.version }
      const wanted = { lines, beside: origins, at, who: actor.username, madeFrom, ...writing }
      const written = await preparedLines(store, ratesOf(id), wanted)
      if (!written) return { answer: { id, isWritten: 'unchanged' } }
      return {
        changes: [...written.changes, ...beside, ...tariffStays(context, tariff)],
        afterwards: written.afterwards,
        answer: { id, isWritten: 'written' },
        log: { action: `${did} tariff ${id} ${JSON.stringify(name)}: ${describeChange(change)}` },
      }
    },
  })
