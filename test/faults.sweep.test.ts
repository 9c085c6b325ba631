import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { serve } from '#lib/api/stack/stack.ts'
import type { DumpedItem } from '#test/dump.ts'
import { aContext, anEvent } from '#test/event.ts'
import { aWritingWorld, changes, type WritingRequest } from '#test/examples/writing.ts'
import {
  MISHAPS,
  type MishapName,
  type MishapOf,
  mishaps,
  OF_ONE_REQUEST,
  type TableRequest,
} from '#test/faults/faulty-endpoint.ts'
import { aWatchedTable } from '#test/faults/watched-table.ts'
import { storedLoginCounters } from '#test/logins.ts'
import { damageIn } from '#test/soundness.ts'
import { SHARE, shareOf } from '#test/sweep.ts'
import { bodyOf, signedForm, type World } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const methods = (await loadFunctionFiles())
  .map(({ method }) => method)
  .filter(({ access }) => access === 'write')

test('every method that writes is among those that are tried', () => {
  const tried = new Set(changes.map(({ method }) => method))

  expect([...tried].sort()).toEqual(methods.map(({ name }) => name).sort())
})

/** The answer to a change, and the table after it. */
interface Outcome {
  /** Status and document. */
  readonly answer: string
  readonly dump: readonly DumpedItem[]
}

/** Makes a change over a table with mishaps, and undoes it. */
type Perform = (mishapOf: MishapOf) => Promise<Outcome>

async function aPerformer(world: World, { params }: WritingRequest, method: Method): Promise<Perform> {
  const beginning = await world.dump()
  const table = await aWatchedTable(world)
  /** The same secret each time; a lost race is followed by the same number again. */
  const random = { below: () => 0 }
  return async (mishapOf) => {
    table.fail(mishapOf)
    const { world: failing, close } = table.connect()
    const event = anEvent({ body: signedForm(method, params) })
    const answer = await serve(method, { ...failing.services, random })(event, aContext())
    close()
    const dump = table.written.size > 0 ? await world.dump() : beginning
    await table.undo()
    return { answer: withoutChance(`${answer.statusCode} ${bodyOf(answer)}`), dump }
  }
}

/** Ids given out here: counters begin with 90000, payments with the time of the tests. */
const NEW_ID = /\b0*(?:90000|1773144000000)\d\d\b/g

/** Ids, salts and tokens differ from run to run. */
const withoutChance = (text: string): string =>
  text
    .replace(NEW_ID, 'NEW')
    .replace(/(scrypt\$\d+)\$[^"]*/g, '$1')
    .replace(/"ClientRequestToken":"[^"]*"/, '')

/** A repeated request has the same name, in this run and in others. */
const nameOf = ({ operation, input }: TableRequest): string => `${operation} ${withoutChance(input)}`

/** Id counters may be ahead and lost races come and go. `countedTooLittle` checks the attempts to log in. */
const COUNTED = /^(ID|RACES|LOGINFAIL)#/

/** The same text for the same content of a table, but for ids, salts and tokens. */
const stateOf = (items: readonly DumpedItem[]): string =>
  withoutChance(
    items
      .filter(({ PK }) => !COUNTED.test(PK))
      .map((item) => JSON.stringify(item, inOrder))
      .join('\n'),
  )

/** The engine returns the attributes of an item in any order. */
const inOrder = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value

/** The requests that a mishap hits: the first of its name, all of them, or the first and all after it. */
const EXTENTS = ['once', 'whenever it is sent', 'and all that follows'] as const

interface Case {
  /** The name of a request to the table. */
  readonly call: string
  readonly mishap: MishapName
  readonly extent: (typeof EXTENTS)[number]
}

const casesOf = (requests: readonly TableRequest[]): Case[] =>
  requests.flatMap((request, index) => {
    const isLast = index === requests.length - 1
    const extentsOf = (mishap: MishapName) =>
      isLast || OF_ONE_REQUEST.includes(mishap) ? EXTENTS.slice(0, -1) : EXTENTS
    return MISHAPS.filter((mishap) => mishaps[mishap](request) !== undefined).flatMap((mishap) =>
      extentsOf(mishap).map((extent) => ({ call: nameOf(request), mishap, extent })),
    )
  })

/** The mishaps of the requests of a case. */
function plan({ call, mishap, extent }: Case): MishapOf {
  let hasBegun = false
  const isHit = (request: TableRequest): boolean => {
    const isMeant = nameOf(request) === call
    if (extent === 'once') return isMeant && !hasBegun
    return isMeant || (extent === 'and all that follows' && hasBegun)
  }
  return (request: TableRequest) => {
    if (!isHit(request)) return undefined
    hasBegun = true
    return mishaps[mishap](request)
  }
}

/** The outcome of a change without mishaps. */
interface Expected {
  readonly change: WritingRequest
  readonly right: Outcome
  readonly beginning: readonly DumpedItem[]
}

/** The answer and the state of the table, in words. */
const verdictOn = (outcome: Outcome, expected: Expected): string =>
  `${saidBy(outcome, expected)}, ${stateAfter(outcome, expected)}`

/** The documented failures (wire.md 1.4), letter by letter. */
const FAILURES = [
  [500, 'Internal error'],
  [500, 'The outcome is unknown'],
  [503, 'Try again'],
].flatMap(([status, message]) =>
  [
    `<page><status><error>${message}</error></status></page>`,
    // For methods of the envelope rootStatus.
    `<status><error>${message}</error></status>`,
  ].map((body) => `${status} <?xml version="1.0" encoding="UTF-8"?>${body}`),
)

function saidBy({ answer }: Outcome, { change, right }: Expected): string {
  if (answer === right.answer) return 'answered'
  if (FAILURES.includes(answer)) return 'failed'
  return change.refusal && answer.includes(`<error>${change.refusal}</error>`) ? 'refused' : answer
}

function stateAfter({ dump }: Outcome, { change, right, beginning }: Expected): string {
  const { mayLeave, failureMayLeave } = change
  const essential = (items: readonly DumpedItem[]) => stateOf(items.filter(({ PK }) => !mayLeave?.test(PK)))
  const left = dump.filter(({ PK }) => !failureMayLeave?.test(PK))
  if (stateOf(left) === stateOf(beginning)) return leavesAll(change) ? 'as it was' : 'undone'
  return essential(dump) === essential(right.dump) ? 'done' : 'half-written'
}

const LOSES_ANSWERS: readonly MishapName[] = ['answer lost', 'answer cut short']

const leavesAll = ({ changesNothing, countsOnly }: WritingRequest): boolean =>
  Boolean(changesNothing || countsOnly)

/** A single mishap goes unnoticed. Otherwise a change may fail, and is then not made. */
function allowedIn({ mishap, extent }: Case, { change }: Expected): readonly string[] {
  if (mishap === 'condition failed' && change.whenConditionFails) return change.whenConditionFails
  const [done, undone] = leavesAll(change) ? ['as it was', 'as it was'] : ['done', 'undone']
  if (extent === 'once' && mishap !== 'access denied') return [`answered, ${done}`]
  const isUnknown = LOSES_ANSWERS.includes(mishap) || change.listsAfterwards
  return [`answered, ${done}`, `failed, ${undone}`, ...(isUnknown ? ['failed, done'] : [])]
}

/** A lost answer may make an attempt to log in count twice; it never counts less than it should. */
function countedTooLittle(outcome: Outcome, { right }: Expected): string | undefined {
  const isAnswered = outcome.answer === right.answer
  const least = new Map(
    isAnswered ? storedLoginCounters(right.dump).map(({ PK, failures }) => [PK, failures]) : [],
  )
  const wrong = storedLoginCounters(outcome.dump).filter(
    ({ PK, failures, in_flight }) => in_flight < 0 || failures < (least.get(PK) ?? 0),
  )
  return wrong.length > 0 ? `counted too little, ${JSON.stringify(wrong)}` : undefined
}

/** Checks every state of the table once. */
function inspection(world: World, { mayLeave }: WritingRequest) {
  const seen = new Set<string>()
  return async ({ dump }: Outcome): Promise<string | undefined> => {
    const state = stateOf(dump)
    if (seen.has(state)) return undefined
    seen.add(state)
    const damage = await damageIn(world, dump)
    return damage.find((sentence) => !mayLeave?.test(sentence))
  }
}

/** Tries some requests and mishaps of a change; at night every request with every mishap. */
async function tryOut(change: WritingRequest, method: Method, turn: number) {
  const world = await aWritingWorld(change.given)
  const perform = await aPerformer(world, change, method)
  const requests = new Map<string, TableRequest>()
  const beginning = await world.dump()
  const right = await perform((request) => void requests.set(nameOf(request), request))
  const expected = { change, right, beginning }
  const inspect = inspection(world, change)

  const complaintAbout = async (one: Case): Promise<string | undefined> => {
    const outcome = await perform(plan(one))
    const verdict = verdictOn(outcome, expected)
    if (!allowedIn(one, expected).includes(verdict)) return verdict
    return countedTooLittle(outcome, expected) ?? (await inspect(outcome))
  }

  const cases = shareOf(casesOf([...requests.values()]), turn)
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
    methods
      .flatMap((method) =>
        changes.filter((change) => change.method === method.name).map((change) => [change, method] as const),
      )
      .map(([change, method], turn) => tryOut(change, method, turn)),
  )

  const broken = tried.flatMap((one) => one.broken)
  const cases = tried.reduce((sum, one) => sum + one.cases, 0)
  process.stdout.write(`faults: ${cases} cases of ${tried.length} changes, ${cases - broken.length} held\n`)
  expect(broken).toEqual([])
  expect(tried.filter(({ right }) => FAILURES.includes(right.answer))).toEqual([])
  expect(tried.filter((one) => one.cases < MISHAPS.length / SHARE)).toEqual([])
})
