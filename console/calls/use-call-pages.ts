import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { CallRowAnswer, CallsAnswer } from '#lib/api/console/answers/calls.ts'
import { type QueryValues, type Refusal, read } from '../api/console-api.ts'

/** The pages of a list of calls that have been read so far, as one list. */
export interface CallPages {
  readonly calls: readonly CallRowAnswer[]
  readonly currency: string
  /** The number of calls that were read; a filter may have left out some. */
  readonly read: number
  /** The key of the next page; null after the last one, undefined before the first one. */
  readonly next: string | null | undefined
  /** Whether the last page had few calls: to read on may cost much and find nothing. */
  readonly isSparse: boolean
}

export interface ReadingOfPages {
  readonly pages: CallPages
  readonly problem?: Refusal | undefined
  /** Reads the next page, unless it is under way or there is none. */
  readonly more: () => void
}

const NO_PAGES: CallPages = { calls: [], currency: '', read: 0, next: undefined, isSparse: false }

/** A page with fewer calls than this took hundreds of reads for each of them. */
const FEW_CALLS = 10

interface Found {
  readonly asked: string
  readonly pages: CallPages
  readonly problem?: Refusal
}

export function useCallPages(query: QueryValues): ReadingOfPages {
  const asked = JSON.stringify(query)
  const [found, setFound] = useState<Found>({ asked, pages: NO_PAGES })
  const underWay = useRef('')
  const current = found.asked === asked ? found : { asked, pages: NO_PAGES, problem: undefined }
  const { pages } = current
  const more = useCallback(() => {
    const page = `${asked} ${pages.next}`
    if (pages.next === null || underWay.current === page) return
    underWay.current = page
    const tell = (one: Found) => {
      if (underWay.current !== page) return
      underWay.current = ''
      setFound(one)
    }
    read<CallsAnswer>('/calls', { ...query, after: pages.next }).then(
      (answer) => tell({ asked, pages: joined(pages, answer) }),
      (problem: Refusal) => tell({ asked, pages, problem }),
    )
  }, [asked, pages])
  useEffect(() => {
    if (pages.next === undefined) more()
  }, [asked])
  useEffect(
    () => () => {
      underWay.current = 'gone'
    },
    [],
  )
  return { pages, problem: current.problem, more }
}

const joined = (pages: CallPages, { calls, currency, next, read: count }: CallsAnswer): CallPages => ({
  calls: [...pages.calls, ...calls],
  currency,
  next,
  read: pages.read + count,
  isSparse: calls.length < FEW_CALLS,
})
