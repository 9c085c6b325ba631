import { actOperation, contextHere, paramsOf } from '#lib/api/console/act-operation.ts'
import type { RateAgainAnswer } from '#lib/api/console/answers/calls.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { OPERATORS } from '#lib/base/account-types.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { planRerating, type RatedAgain, rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { newestReratings } from '#lib/calls/rating/rerating-log.ts'

const SHOWN_RUNS = 20

const act = rerateCalls()

export const resource = defineResource({
  name: 'reratings',
  access: 'suspense',
  operations: [
    operation('GET', '/reratings', {
      summary: 'The last 20 runs that re-rated calls, the newest first. One that did not finish has no end.',
      callers: OPERATORS,
      run: async ({ store, settings }) => ({
        currency: settings.Default_Currency,
        runs: (await newestReratings(store, SHOWN_RUNS)).map(
          ({ at, ended_at, changed, before, after, wish }) => ({
            at: formatIso(at, settings.Timezone),
            ended: ended_at === undefined ? null : formatIso(ended_at, settings.Timezone),
            ...{ changed, before, after, options: wish },
          }),
        ),
      }),
    }),
    operation('POST', '/reratings/preview', {
      summary:
        'Rates 100 of the chosen calls again, the newest first, and answers with the sums before and after; it changes nothing. Send `next` as `after` until it is null.',
      callers: ['admin'],
      params: paramsOf(act.input),
      run: async (request) => {
        const { found } = await planRerating(contextHere(request), request.params)
        return shown(request, found)
      },
    }),
    actOperation('POST', '/reratings', act, { show: shown }),
  ],
})

export const handler = consoleLambda(resource)

async function shown(
  { link }: Pick<ConsoleRequest, 'link'>,
  { customers, skipped, ...found }: RatedAgain,
): Promise<RateAgainAnswer> {
  const toLink = await link(customers.keys())
  return {
    ...found,
    skipped: [...skipped],
    customers: [...customers].map(([id, sums]) => ({ customer: toLink(id), ...sums })),
  }
}
