import { expect, test } from 'vitest'
import {
  ACCIDENTS,
  type Accident,
  aBench,
  type Bench,
  damageFinder,
  heldIn,
  type MediationPath,
  type Places,
  placesIn,
  planOf,
} from '#lib/testing/faulty-mediation.ts'
import { PATHS } from '#lib/testing/mediation-paths.ts'
import { OF_ONE_REQUEST } from '#lib/testing/mishaps.ts'

interface Case {
  /** The number of the request. */
  readonly at: number
  readonly accident: Accident
  /** Whether it happens to all requests that follow. */
  readonly lasts: boolean
}

/** The number of accidents that are tried for each request. The choice differs from request to request. */
const TRIED_PER_REQUEST = Number(process.env['TOLLGATE_ACCIDENTS'] ?? 1)

const casesOf = (requests: number): Case[] => Array.from({ length: requests }, (_, at) => chosenAt(at)).flat()

const chosenAt = (at: number): Case[] =>
  Array.from({ length: TRIED_PER_REQUEST }, (_, place) => {
    const number = at * TRIED_PER_REQUEST + place
    const accident = ACCIDENTS[number % ACCIDENTS.length] as Accident
    const isOfOne = OF_ONE_REQUEST.some((one) => one === accident)
    const round = Math.floor(number / ACCIDENTS.length)
    return { at, accident, lasts: accident.startsWith('killed') || (!isOfOne && round % 2 === 1) }
  })

interface Expected {
  readonly before: Places
  readonly right: Places
  readonly findDamage: ReturnType<typeof damageFinder>
}

/** The damage after an accident, or after the run that follows it. */
async function complaintAbout(bench: Bench, one: Case, expected: Expected): Promise<string | undefined> {
  const { isDone } = await bench.perform(planOf(one))
  const atOnce = await complaintIn(bench, expected, isDone)
  if (atOnce !== undefined) return `${isDone ? 'although it reports success' : 'at once'}: ${atOnce}`
  const { isDone: isDoneAfter, failure } = await bench.perform()
  if (!isDoneAfter) return `the run after it fails: ${failure}`
  return complaintIn(bench, expected, true)
}

async function complaintIn(
  { world }: Bench,
  expected: Expected,
  isDone: boolean,
): Promise<string | undefined> {
  const items = await world.dump()
  const places = await placesIn(world, items)
  const wrong = isDone ? differenceOf(places, expected.right) : lostOf(places, expected)
  return wrong ?? (await expected.findDamage(items))[0]
}

const differenceOf = (places: Places, right: Places): string | undefined =>
  JSON.stringify(places) === JSON.stringify(right)
    ? undefined
    : `${JSON.stringify(places)} instead of ${JSON.stringify(right)}`

/** A failed run is repeated, so it must not lose a CDR that was in the table before. */
function lostOf(places: Places, { before }: Expected): string | undefined {
  const held = new Set(heldIn(places))
  const lost = heldIn(before).filter((cdr) => !held.has(cdr))
  return lost.length > 0 ? `${lost} are lost` : undefined
}

async function tryOut(path: MediationPath) {
  const bench = await aBench(path)
  const placesNow = async () => placesIn(bench.world, await bench.world.dump())
  const before = await placesNow()
  const { isDone, requests } = await bench.perform()
  const expected = { before, right: await placesNow(), findDamage: damageFinder(bench.world) }
  const broken: string[] = isDone ? [] : [`${path.name}: it fails without faults`]
  const cases = casesOf(requests)
  for (const one of cases) {
    await bench.restore()
    const complaint = await complaintAbout(bench, one, expected)
    const { at, accident, lasts } = one
    const where = `${path.name}, request ${at} of ${requests}, ${accident}${lasts ? ' from there on' : ''}`
    if (complaint !== undefined) broken.push(`${where}: ${complaint}`)
  }
  return { requests, cases: cases.length, broken }
}

test('after any fault a CDR is stored once, suspended, pending, or still in its source', async () => {
  const startedAt = Date.now()
  const tried = await Promise.all(PATHS.map(tryOut))

  const sum = (of: (one: (typeof tried)[number]) => number) => tried.reduce((all, one) => all + of(one), 0)
  const broken = tried.flatMap((one) => one.broken)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const said = `${sum(({ cases }) => cases)} cases of ${sum(({ requests }) => requests)} requests on ${tried.length} paths`
  process.stdout.write(
    `mediation faults: ${said} (${TRIED_PER_REQUEST} of ${ACCIDENTS.length} accidents for each request), ${seconds} s\n`,
  )
  expect(broken).toEqual([])
})
