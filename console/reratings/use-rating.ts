import { useRef, useState } from 'preact/hooks'
import type { RateAgainAnswer } from '#lib/api/console/answers/calls.ts'
import { countCalls, sumOfChanges } from '#lib/calls/rating/price-changes.ts'
import type { SentValues } from '../api/catalogue.ts'
import { act, type RefusedRequest } from '../api/console-api.ts'
import { useAction } from '../api/use-action.ts'

export interface FoundRatings extends RateAgainAnswer {
  /** Whether the calls were changed, and not only rated. */
  readonly isChanged: boolean
  readonly sent: SentValues
}

export interface Rating {
  readonly found: FoundRatings | undefined
  readonly isUnderWay: boolean
  readonly problem: RefusedRequest | undefined
  readonly forget: () => void
  readonly preview: (choose: () => Promise<SentValues>) => Promise<void>
  readonly change: () => Promise<void>
  /** Goes on after the last page that came. */
  readonly goOn: () => Promise<void>
  readonly stop: () => void
}

/** Reads or changes a re-rating page by page. It can stop after any page and resume there. */
export function useRating(onEnd: () => void): Rating {
  const [found, setFound] = useState<FoundRatings>()
  const { run, isUnderWay, problem } = useAction()
  const isStopped = useRef(false)
  const show = (pages: () => Promise<AsyncIterable<FoundRatings>>) =>
    run(async () => {
      isStopped.current = false
      for await (const page of await pages()) {
        setFound(page)
        if (isStopped.current) return
      }
      onEnd()
    })
  return {
    ...{ found, isUnderWay, problem },
    stop: () => {
      isStopped.current = true
    },
    forget: () => setFound(undefined),
    preview: (choose) => show(async () => pagesOf(await choose(), false)),
    change: () => show(async () => pagesOf(found?.sent ?? {}, true)),
    goOn: () => show(async () => pagesOf(found?.sent ?? {}, found?.isChanged ?? false, found)),
  }
}

async function* pagesOf(
  sent: SentValues,
  isChanged: boolean,
  known?: FoundRatings,
): AsyncGenerator<FoundRatings> {
  let found = known
  do {
    const page = await readPage(sent, isChanged, found)
    found = { ...joined(found, page), sent, isChanged }
    yield found
  } while (found.next !== null)
}

const readPage = (
  sent: SentValues,
  isChanged: boolean,
  known: FoundRatings | undefined,
): Promise<RateAgainAnswer> =>
  act('POST', isChanged ? '/reratings' : '/reratings/preview', {
    ...sent,
    ...(known?.next && { after: known.next }),
    ...(known?.run && { run: known.run }),
  })

/** Adds the counts and sums of a page to those of the pages before it. */
function joined(known: RateAgainAnswer | undefined, page: RateAgainAnswer): RateAgainAnswer {
  if (!known) return page
  const skipped = Map.groupBy([...known.skipped, ...page.skipped], ({ reason }) => reason)
  const customers = Map.groupBy([...known.customers, ...page.customers], ({ customer }) => customer.id)
  return {
    ...page,
    total: known.total,
    calls: known.calls + page.calls,
    same: known.same + page.same,
    oldest: known.oldest + page.oldest,
    skipped: [...skipped].map(([reason, some]) => ({ reason, calls: countCalls(some) })),
    customers: [...customers.values()].flatMap((some) =>
      some[0] ? [{ ...some[0], ...sumOfChanges(some) }] : [],
    ),
  }
}
