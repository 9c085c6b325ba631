import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { expect } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import type { Findings } from '#lib/api/request-context.ts'
import type { AccountType } from '#lib/domain/accounts/account.ts'
import { root } from '#lib/local/location.ts'

/** What a call through a world has shown about a method, in words that a contract's promises can be compared with. */
export interface Evidence {
  /** From the root. */
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

/** Every worker writes a file of its own; what it has noted already it does not note again. */
function note(method: string, what: string): void {
  const test = relative(root, expect.getState().testPath ?? '')
  const line = JSON.stringify({ test, method, shows: what } satisfies Evidence)
  if (!folder || known.has(line)) return
  known.add(line)
  appendFileSync(`${folder}/${process.pid}.ndjson`, `${line}\n`)
}

/** What a consumer did to a partition of the table, as an action of IAM. */
export interface Write {
  readonly action: string
  readonly partition: string
}

export const noteWrite = (consumer: string, { action, partition }: Write): void =>
  note(consumer, `${action} ${partition}`)

/** What the tests have seen a consumer of records or files write. */
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

/** Others note other things there (log-evidence.ts). */
const namesIn = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.ndjson'))

type Claimant = Findings['claimant']

const kindOf = (claimant: Claimant): CallerKind =>
  claimant && !claimant.blocked ? claimant.usertype : 'anonymous'

/** The method as it is; notes whom it answers, and which of its refusals a run ends with. */
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
        if (code !== undefined) note(method.name, shows.refusal(code))
        throw error
      }
    },
  }
}

/** Notes who was turned away in the words of the contract, before the method ran. */
export function noteRejection({ name, callers }: Method, { caller, claimant }: Findings, body: string): void {
  if (callers === 'public' || caller) return
  const kind = kindOf(claimant)
  const words = kind === 'anonymous' ? callers.anonymous : (callers.others ?? callers.anonymous)
  if (body.includes(`<error>${words}</error>`)) note(name, shows.rejection(kind))
}
