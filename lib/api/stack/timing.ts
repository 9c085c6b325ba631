import type { RequestContext } from '#lib/api/request-context.ts'
import type { Middleware } from './steps.ts'

/** The steps before the run with the read of settings and caller; the run with its reads; the rendering. */
const PHASES = ['gates', 'run', 'render']

/**
 * With SERVER_TIMING=on, an answer and its line of the log tell the milliseconds of each phase. A list that
 * is streamed is still to be read and rendered. Strangers see it, too, so it is off by default.
 */
export function timed(steps: readonly Middleware[]): Middleware[] {
  const mark = ({ context: { requestState } }: { readonly context: RequestContext }): void => {
    requestState.marks ??= []
    requestState.marks.push(performance.now())
  }
  const tell: Middleware['after'] = (request) => {
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
  const around: Middleware = { before: mark, after: tell, onError: tell }
  return [...steps.toSpliced(1, 0, around), { before: mark, after: mark }]
}
