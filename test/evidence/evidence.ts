import { relative } from 'node:path'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { expect } from 'vitest'
import type { Method, Services } from '#lib/api/method.ts'
import type { RequestContext, RequestState } from '#lib/api/request-context.ts'
import { serve } from '#lib/api/stack/stack.ts'
import type { AccountType } from '#lib/base/account-types.ts'
import { keepsNotes, note, readNotes } from '#test/evidence/notes.ts'
import { root } from '#tools/machine/program.ts'

/** A fact about a method shown by a test, in the words of a contract's promises. */
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

function noteFact(method: string, what: string): void {
  if (!keepsNotes) return
  const test = relative(root, expect.getState().testPath ?? '')
  note('facts', { test, method, shows: what } satisfies Evidence)
}

export const readEvidence = (): Evidence[] => readNotes<Evidence>('facts')

type LogLine = Readonly<Record<string, unknown>>

/** Serves a request of a test, and notes what its line of log and its caller show of the contract. */
export const serveNoted =
  (method: Method, services: Services) =>
  async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    let line: LogLine = {}
    const log: Services['log'] = (written) => {
      line = written
      services.log(written)
    }
    const answer = await serve(method, { ...services, log })(event, context)
    noteShown(method, line, (context as RequestContext).requestState)
    return answer
  }

function noteShown(method: Method, line: LogLine, { namedAccount, caller }: RequestState): void {
  const kind = namedAccount && !namedAccount.blocked ? namedAccount.usertype : 'anonymous'
  if (line['outcome'] === 'answered') noteFact(method.name, shows.answer(kind))
  else if (caller || typeof method.callers === 'string') noteRefusal(method, line['refusal'])
  else if (line['refusal'] === rejectionOf(method, kind)) noteFact(method.name, shows.rejection(kind))
}

/** No two refusals of a method have the same words. */
function noteRefusal({ name, errors }: Method, words: unknown): void {
  for (const [code, text] of Object.entries(errors)) if (text === words) noteFact(name, shows.refusal(code))
}

/** The words in which a contract turns a caller away before the method runs. */
export function rejectionOf({ callers }: Method, kind: CallerKind): string | undefined {
  if (typeof callers === 'string') return undefined
  return kind === 'anonymous' ? callers.anonymous : (callers.others ?? callers.anonymous)
}
