import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { toLoginFailures } from '#lib/store/accounts/login-failures.ts'
import type { DumpedItem } from '#lib/testing/dump.ts'
import type { Mishap, TableRequest } from '#lib/testing/faulty-endpoint.ts'
import { aLaboratory, type Laboratory, nameOf, type Outcome, stateOf } from '#lib/testing/laboratory.ts'
import { MISHAPS, type MishapName, mishaps, OF_ONE_REQUEST } from '#lib/testing/mishaps.ts'
import { damageIn } from '#lib/testing/soundness.ts'
import { type Change, changes } from '#lib/testing/writing.ts'

const methods = (await loadFunctionFiles())
  .map(({ method }) => method)
  .filter(({ access }) => access === 'write')

test('every method that writes is among those that are tried', () => {
  const tried = new Set(changes.map(({ method }) => method))

  expect([...tried].sort()).toEqual(methods.map(({ name }) => name).sort())
})

/** What goes wrong: the first time that a call is sent, each time, or with it and everything after it. */
const EXTENTS = ['once', 'whenever it is sent', 'and all that follows'] as const

interface Case {
  /** What is sent to the table, by its name. */
  readonly call: string
  readonly mishap: MishapName
  readonly extent: (typeof EXTENTS)[number]
}

const casesOf = (requests: readonly TableRequest[]): Case[] =>
  requests.flatMap((request, at) => {
    const isLast = at === requests.length - 1
    const extentsOf = (mishap: MishapName) =>
      isLast || OF_ONE_REQUEST.includes(mishap) ? EXTENTS.slice(0, -1) : EXTENTS
    return MISHAPS.filter((mishap) => mishaps[mishap](request) !== undefined).flatMap((mishap) =>
      extentsOf(mishap).map((extent) => ({ call: nameOf(request), mishap, extent })),
    )
  })

/** What happens to the requests of a case. */
function plan({ call, mishap, extent }: Case) {
  let hasBegun = false
  const isHit = (request: TableRequest): boolean => {
    const isMeant = nameOf(request) === call
    if (extent === 'once') return isMeant && !hasBegun
    return isMeant || (extent === 'and all that follows' && hasBegun)
  }
  return (request: TableRequest): Mishap | undefined => {
    if (!isHit(request)) return undefined
    hasBegun = true
    return mishaps[mishap](request)
  }
}

/** How a change comes out when nothing goes wrong. */
interface Expected {
  readonly change: Change
  readonly right: Outcome
  readonly beginning: readonly DumpedItem[]
}

/** What was answered, and what has become of the table. */
const verdictOn = (outcome: Outcome, expected: Expected): string =>
  `${saidBy(outcome, expected)}, ${stateAfter(outcome, expected)}`

/** A failure is one of those that are documented (wire.md 1.4), letter by letter. */
const FAILURES = [
  [500, 'Internal error'],
  [500, 'The outcome is unknown'],
  [503, 'Try again'],
].map(
  ([status, message]) =>
    `${status} <?xml version="1.0" encoding="UTF-8"?><page><status><error>${message}</error></status></page>`,
)

function saidBy({ answer }: Outcome, { change, right }: Expected): string {
  if (answer === right.answer) return 'answered'
  if (FAILURES.includes(answer)) return 'failed'
  return change.refusal && answer.includes(`<error>${change.refusal}</error>`) ? 'refused' : answer
}

function stateAfter(
  { dump }: Outcome,
  { change: { mayLeave, changesNothing }, right, beginning }: Expected,
): string {
  const essential = (items: readonly DumpedItem[]) => stateOf(items.filter(({ PK }) => !mayLeave?.test(PK)))
  if (stateOf(dump) === stateOf(beginning)) return changesNothing ? 'as it was' : 'undone'
  return essential(dump) === essential(right.dump) ? 'done' : 'half-written'
}

const LOSES_ANSWERS: readonly MishapName[] = ['answer lost', 'answer cut short']

/** Nobody notices what passes; where nothing else is possible, a change fails and is not made. */
function allowedIn({ mishap, extent }: Case, { change }: Expected): readonly string[] {
  if (mishap === 'condition failed' && change.whenConditionFails) return change.whenConditionFails
  const [done, undone] = change.changesNothing ? ['as it was', 'as it was'] : ['done', 'undone']
  if (extent === 'once' && mishap !== 'access denied') return [`answered, ${done}`]
  const isUnknown = LOSES_ANSWERS.includes(mishap)
  return [`answered, ${done}`, `failed, ${undone}`, ...(isUnknown ? ['failed, done'] : [])]
}

/** A lost answer may make an attempt to log in count twice; it never counts less than it should. */
function countedTooLittle(outcome: Outcome, { right }: Expected): string | undefined {
  const isAnswered = outcome.answer === right.answer
  const least = new Map(isAnswered ? loginCounters(right).map(({ PK, failures }) => [PK, failures]) : [])
  const wrong = loginCounters(outcome).filter(
    ({ PK, failures, in_flight }) => in_flight < 0 || failures < (least.get(PK) ?? 0),
  )
  return wrong.length > 0 ? `counted too little, ${JSON.stringify(wrong)}` : undefined
}

const loginCounters = ({ dump }: Outcome) =>
  dump
    .filter(({ PK }) => PK.startsWith('LOGINFAIL#'))
    .map((item) => ({ PK: item.PK, ...toLoginFailures(item) }))

/** Looks through every state once. */
function inspection({ world }: Laboratory, { mayLeave }: Change) {
  const seen = new Set<string>()
  return async ({ dump }: Outcome): Promise<string | undefined> => {
    const state = stateOf(dump)
    if (seen.has(state)) return undefined
    seen.add(state)
    const damage = await damageIn(world, dump)
    return damage.find((sentence) => !mayLeave || !sentence.endsWith('it only takes room.'))
  }
}

/** Every call of a change with everything that may happen to it. */
async function tryOut(change: Change, method: Method) {
  const laboratory = await aLaboratory(change, method)
  const requests = new Map<string, TableRequest>()
  const right = await laboratory.perform((request) => void requests.set(nameOf(request), request))
  const expected = { change, right, beginning: laboratory.beginning }
  const inspect = inspection(laboratory, change)

  const complaintAbout = async (one: Case): Promise<string | undefined> => {
    const outcome = await laboratory.perform(plan(one))
    const verdict = verdictOn(outcome, expected)
    if (!allowedIn(one, expected).includes(verdict)) return verdict
    return countedTooLittle(outcome, expected) ?? (await inspect(outcome))
  }

  const cases = casesOf([...requests.values()])
  const broken: string[] = []
  for (const one of cases) {
    const complaint = await complaintAbout(one)
    const { call, mishap, extent } = one
    if (complaint)
      broken.push(
        `${change.method}, ${change.what}: ${mishap} ${extent}: ${complaint}: ${call.slice(0, 300)}`,
      )
  }
  return { change, right, cases: cases.length, broken }
}

/** In milliseconds. It waits for most of its time, as long as AWS's client waits between attempts. */
const LONGEST = 1_800_000

test('whatever goes wrong on the way, a change is made and answered, or fails and is not made', {
  timeout: LONGEST,
}, async () => {
  const tried = await Promise.all(
    methods.flatMap((method) =>
      changes.filter((change) => change.method === method.name).map((change) => tryOut(change, method)),
    ),
  )

  const broken = tried.flatMap((one) => one.broken)
  const cases = tried.reduce((sum, one) => sum + one.cases, 0)
  process.stdout.write(`faults: ${cases} cases of ${tried.length} changes, ${cases - broken.length} held\n`)
  expect(broken).toEqual([])
  expect(tried.filter(({ right }) => FAILURES.includes(right.answer))).toEqual([])
  expect(tried.filter((one) => one.cases < MISHAPS.length)).toEqual([])
})
