import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { runs } from '#test/sweep.ts'

/** Inputs that have failed once: every run repeats them first. */
const SEEDS = new URL('seeds.json', import.meta.url)

interface Seed {
  readonly name: string
  readonly seed: number
  readonly path: string
}

/** Checks a property of drawn inputs. A failure prints the line that seeds.json takes to repeat it. */
export async function fuzz<T>(
  name: string,
  { inTest, inSweep }: { readonly inTest: number; readonly inSweep: number },
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(inputs, check)
  for (const known of seedsOf(name)) await fc.assert(property, { ...known, numRuns: 1, endOnFailure: true })
  const { failed, numRuns, seed, counterexamplePath, errorInstance, counterexample } = await fc.check(
    property,
    { numRuns: runs(inTest, inSweep) },
  )
  process.stdout.write(`fuzz: ${name}: ${numRuns} inputs\n`)
  if (!failed || counterexample === null) return
  const line = JSON.stringify({ name, seed, path: counterexamplePath })
  throw new Error(`${name} fails for ${JSON.stringify(counterexample)}. Add to seeds.json: ${line}`, {
    cause: errorInstance,
  })
}

const seedsOf = (name: string): Seed[] =>
  (JSON.parse(readFileSync(SEEDS, 'utf8')) as Seed[]).filter((seed) => seed.name === name)
