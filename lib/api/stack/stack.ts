import middy from '@middy/core'
import { executionModeStandard } from '@middy/core/executionModeStandard'
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import type { ApiRequest, Method, Services } from '#lib/api/method.ts'
import { refuseUnstorable } from '#lib/api/parameters.ts'
import {
  type RequestContext,
  type RequestFacts,
  type RequestState,
  requireState,
} from '#lib/api/request-context.ts'
import { type ReadItems, readFresh } from '#lib/settings/recent-items.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import { OutOfTime } from '#lib/table/requests/meter.ts'
import { runningAgain } from '#lib/table/requests/running-again.ts'
import { readLoads } from '../loads.ts'
import { logRequest } from './log-request.ts'
import {
  admitCaller,
  envelope,
  gates,
  limitCaller,
  type Middleware,
  rawParameters,
  settingsAndCaller,
  typedParameters,
  verifyHash,
} from './steps.ts'

export type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Composes a method's stack. For a Lambda that streams, middy wraps the handler. */
export function serve(method: Method, given: Services): Handler {
  const services = { readItems: readFresh, ...given }
  const { transport } = services
  const steps = [
    logRequest(method, services),
    envelope(method, transport),
    rawParameters(method),
    limitCaller(services),
    settingsAndCaller({ ...method, checksPassword: method.callers === 'public' }, services),
    gates(method),
    verifyHash(method, services),
    admitCaller(method),
    typedParameters(method),
  ]
  const isWrapped = transport.streams && !transport.unwrapped
  return composeStack(
    steps,
    method.access,
    (requestState, lostRaces) => method.run(requestOf(method, services, requestState, lostRaces)),
    isWrapped ? executionModeStreamifyResponse : executionModeStandard,
  )
}

const FOUND_BEFORE_RUN = ['store', 'raw', 'address', 'settings', 'loaded', 'params'] as const
type FoundBeforeRun = RequestState & Pick<RequestFacts, (typeof FOUND_BEFORE_RUN)[number]>

/**
 * Composes a stack. Requests pass the steps in their order before the run, and answers in the opposite order
 * after it. `lostRaces` is the number of earlier runs that lost a race with another request.
 */
export const composeStack = (
  steps: Middleware[],
  access: 'read' | 'write',
  run: (requestState: FoundBeforeRun, lostRaces: number, event: APIGatewayProxyEvent) => Promise<unknown>,
  executionMode: typeof executionModeStandard = executionModeStandard,
): Handler =>
  middy<APIGatewayProxyEvent, unknown, Error, RequestContext>({
    timeoutEarlyInMillis: 400,
    timeoutEarlyResponse: () => {
      throw new OutOfTime('nothing done')
    },
    executionMode,
  })
    .use(process.env['SERVER_TIMING'] === 'on' ? timed(steps) : steps)
    .handler((event, { requestState }) => {
      requireState(requestState, ...FOUND_BEFORE_RUN)
      const runOnce = async (lostRaces: number) => {
        if (lostRaces > 0) requestState.settings = await settingsOf(requestState.store)
        return run(requestState, lostRaces, event)
      }
      return access === 'read' ? runOnce(0) : runningAgain(requestState.store, runOnce)
    }) as unknown as Handler

/** A run receives only the state of the request that it needs. */
const requestOf = (
  method: Method,
  { clock, random, log, readItems, memory = {} }: Services & { readonly readItems: ReadItems },
  requestState: FoundBeforeRun,
  lostRaces: number,
): ApiRequest => ({
  params: requestState.params,
  settings: requestState.settings,
  store: requestState.store,
  address: requestState.address,
  namedAccount: requestState.namedAccount,
  get caller() {
    requireState(requestState, 'caller')
    return requestState.caller
  },
  clock,
  random,
  log,
  memory,
  loaded: readLoads(method.loads, requestState.loaded),
  getRecent: (keys) =>
    readItems(
      requestState.store,
      keys.map((key) => ({ key, mayBeRecent: true })),
    ),
  signedNames: requestState.signingKey?.signs,
  lostRaces,
  runOnce: <T>(work: () => Promise<T>) => {
    requestState.sharedResult ??= work()
    return requestState.sharedResult as Promise<T>
  },
  refuse: (code, reason) => new ApiError(method.errors[code] ?? code, 'method', 200, reason),
  refuseUnstorable: () => refuseUnstorable(method.params, requestState.raw),
})

/** The steps before the run with the read of settings and caller; the run with its reads; the rendering. */
const PHASES = ['gates', 'run', 'render']

/**
 * With SERVER_TIMING=on, an answer and its line of the log have the milliseconds of each phase. A list that
 * is streamed is still to be read and rendered. Strangers see it, too, so it is off by default.
 */
function timed(steps: readonly Middleware[]): Middleware[] {
  const mark = ({ context: { requestState } }: { readonly context: RequestContext }): void => {
    requestState.marks ??= []
    requestState.marks.push(performance.now())
  }
  const report: Middleware['after'] = (request) => {
    mark(request)
    const { requestState } = request.context
    const { marks = [] } = requestState
    const spent = marks.slice(1).map((end, index) => (end - (marks[index] ?? end)).toFixed(1))
    requestState.timing = spent
      .map((milliseconds, index) => `${PHASES[index]};dur=${milliseconds}`)
      .join(', ')
    const response = request.response as { readonly headers: Readonly<Record<string, string>> }
    request.response = { ...response, headers: { ...response.headers, 'Server-Timing': requestState.timing } }
  }
  const around: Middleware = { before: mark, after: report, onError: report }
  return [...steps.toSpliced(1, 0, around), { before: mark, after: mark }]
}
