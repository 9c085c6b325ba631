import { MISFORTUNES } from './scheduler.ts'
import { ACTOR_NAMES, type SimulationOptions, type SimulationResult, simulate } from './simulation.ts'

/** The broken rules of a run, without their numbers: check-data names many things. */
const brokenBy = ({ wrong: [sentence = ''] }: SimulationResult): string => sentence.replaceAll(/[\d.]+/g, '')

/** Other seeds of the same, smaller installation: one of them fails sooner. */
const OTHER_SEEDS = 12

const LEAST_QUIET = 25

/**
 * Makes a failing run small, as long as it breaks the same invariant: without misfortunes of a kind, with
 * fewer actors, with a look after fewer requests, then by the seed that fails first.
 */
export async function shrunk(failed: SimulationOptions, result: SimulationResult) {
  const broken = brokenBy(result)
  let smallest = { options: { ...failed, steps: result.steps }, result }
  const keepIfBroken = async (options: SimulationOptions): Promise<boolean> => {
    const tried = await simulate(options)
    const isSmaller = brokenBy(tried) === broken && tried.requests <= smallest.result.requests
    if (isSmaller) smallest = { options: { ...options, steps: tried.steps }, result: tried }
    return isSmaller
  }
  for (const kind of MISFORTUNES)
    await keepIfBroken({ ...smallest.options, weather: { ...smallest.options.weather, [kind]: 0 } })
  for (const name of ACTOR_NAMES) {
    const only = (smallest.options.only ?? ACTOR_NAMES).filter((one) => one !== name)
    await anySeed({ ...smallest.options, only }, keepIfBroken)
  }
  for (let quiet = 200; quiet >= LEAST_QUIET; quiet /= 2)
    await anySeed({ ...smallest.options, quiet }, keepIfBroken)
  return smallest
}

async function anySeed(
  options: SimulationOptions,
  keepIfBroken: (options: SimulationOptions) => Promise<boolean>,
): Promise<void> {
  for (let turn = 0; turn < OTHER_SEEDS; turn += 1)
    if (await keepIfBroken({ ...options, seed: options.seed + turn })) return
}
