import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { chai, expect } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import type { Findings } from '#lib/api/request-context.ts'
import type { AccountType } from '#lib/domain/accounts/account.ts'
import { root } from '#tools/machine/location.ts'

/** A fact about a method that a test has shown, in words that the promises of a contract are compared with. */
export interface Evidence {
  /** The path of the test, from the root. */
  readonly test: string
  readonly method: string
  readonly shows: string
}

export type CallerKind = AccountType | 'anonymous'

export const shows = {
  answer: (kind: CallerKind): string => `answers ${kind}`,
  rejection: (kind: CallerKind): string => `turns ${kind} away`,
  refusal: (code: string): string => `refuses: ${code}`,
}

const folder = process.env['TOLLGATE_EVIDENCE']

const known = new Set<string>()

/** Every worker writes a file of its own, and each fact once. */
function note(method: string, what: string): void {
  const test = relative(root, expect.getState().testPath ?? '')
  const line = JSON.stringify({ test, method, shows: what } satisfies Evidence)
  if (!folder || known.has(line)) return
  known.add(line)
  appendFileSync(`${folder}/${process.pid}.ndjson`, `${line}\n`)
}

/** A write of a consumer to a partition of the table, as an action of IAM. */
export interface Write {
  readonly action: string
  readonly partition: string
}

export const noteWrite = (consumer: string, { action, partition }: Write): void =>
  note(consumer, `${action} ${partition}`)

/** The writes of a consumer of records or files in all tests. */
export const writesOf = (consumer: string): Write[] =>
  readEvidence()
    .filter(({ method }) => method === consumer)
    .map(({ shows: what }) => {
      const [action = '', ...partition] = what.split(' ')
      return { action, partition: partition.join(' ') }
    })

export const readEvidence = (): Evidence[] =>
  folder
    ? namesIn(folder).flatMap((name) =>
        readFileSync(`${folder}/${name}`, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Evidence),
      )
    : []

/** log-evidence.ts keeps other files in the same folder. */
const namesIn = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.ndjson'))

type Claimant = Findings['claimant']

const kindOf = (claimant: Claimant): CallerKind =>
  claimant && !claimant.blocked ? claimant.usertype : 'anonymous'

/** A refusal that has occurred in the running test. It becomes evidence when the test asserts its words. */
interface UnassertedRefusal {
  readonly method: string
  readonly shows: string
  readonly words: string
}

let unasserted: readonly UnassertedRefusal[] = []

/** A test asserts only refusals of its own. */
export const forgetRefusals = (): void => {
  unasserted = []
}

/** The text of an expected value, whatever it is made of: documents, lists, regular expressions, `stringContaining`. */
const textOf = (expected: unknown): string =>
  JSON.stringify(expected, (_name, value) =>
    value instanceof RegExp || typeof value === 'bigint' ? String(value) : value,
  ) ?? ''

function noteAsserted(expected: unknown): void {
  if (unasserted.length === 0) return
  const text = textOf(expected)
  const isAsserted = ({ words }: UnassertedRefusal) => text.includes(textOf(words).slice(1, -1))
  for (const { method, shows: what } of unasserted.filter(isAsserted)) note(method, what)
  unasserted = unasserted.filter((refusal) => !isAsserted(refusal))
}

const MATCHERS = [
  'toBe',
  'toEqual',
  'toStrictEqual',
  'toContain',
  'toContainEqual',
  'toMatch',
  'toMatchObject',
]

// Vitest has no hook for an assertion that holds, so its matchers are wrapped. `.not` asserts no words.
chai.use(({ Assertion }, { overwriteMethod, flag }) => {
  for (const name of MATCHERS) overwriteMethod(Assertion.prototype, name, noting)
  function noting(matcher: (...expected: unknown[]) => unknown) {
    return function (this: object, ...expected: unknown[]) {
      const result = matcher.apply(this, expected)
      if (!flag(this, 'negate')) noteAsserted(expected)
      return result
    }
  }
})

/** The same method; notes which callers it answers, and which refusals its runs end with. */
export function witnessed(method: Method): Method {
  return {
    ...method,
    run: async (request) => {
      const refusals = new Map<unknown, string>()
      const refuse = (code: string) => {
        const error = request.refuse(code)
        refusals.set(error, code)
        return error
      }
      try {
        const content = await method.run({ ...request, refuse })
        note(method.name, shows.answer(kindOf(request.claimant)))
        return content
      } catch (error) {
        const code = refusals.get(error)
        if (code !== undefined) occurred(method, shows.refusal(code), method.errors[code])
        throw error
      }
    },
  }
}

function occurred({ name }: Method, what: string, words = ''): void {
  unasserted = [...unasserted, { method: name, shows: what, words }]
}

/** Notes which callers are turned away in the words of the contract, before the method runs. */
export function noteRejection(method: Method, { caller, claimant }: Findings, body: string): void {
  const { callers } = method
  if (callers === 'public' || caller) return
  const kind = kindOf(claimant)
  const words = kind === 'anonymous' ? callers.anonymous : (callers.others ?? callers.anonymous)
  if (body.includes(`<error>${words}</error>`)) occurred(method, shows.rejection(kind), words)
}
