import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type QueryValues, type RefusedRequest, read } from './console-api.ts'

/** The pages of a list that have been read so far. */
export interface PagesQuery<A> {
  readonly pages: readonly A[]
  /** The key of the next page; null after the last one, undefined before the first one. */
  readonly next: string | null | undefined
  readonly problem?: RefusedRequest | undefined
  /** Reads the next page, unless it is under way or there is none. */
  readonly more: () => void
}

interface Found<A> {
  readonly asked: string
  readonly pages: readonly A[]
  readonly problem?: RefusedRequest
}

const NO_PAGES: readonly never[] = []

/** Reads a list page by page. Another query begins a new list. */
export function usePages<A extends { readonly next: string | null }>(
  path: string,
  query: QueryValues,
): PagesQuery<A> {
  const asked = JSON.stringify([path, query])
  const [found, setFound] = useState<Found<A>>({ asked, pages: NO_PAGES })
  const underWay = useRef('')
  const current: Found<A> = found.asked === asked ? found : { asked, pages: NO_PAGES }
  const { pages } = current
  const next = pages.at(-1)?.next
  const more = useCallback(() => {
    const page = `${asked} ${next}`
    if (next === null || underWay.current === page) return
    underWay.current = page
    const tell = (one: Found<A>) => {
      if (underWay.current !== page) return
      underWay.current = ''
      setFound(one)
    }
    read<A>(path, { ...query, after: next }).then(
      (answer) => tell({ asked, pages: [...pages, answer] }),
      (problem: RefusedRequest) => tell({ asked, pages, problem }),
    )
  }, [asked, pages])
  useEffect(() => {
    if (next === undefined) more()
  }, [asked])
  useEffect(
    () => () => {
      underWay.current = 'gone'
    },
    [],
  )
  return { pages, next, problem: current.problem, more }
}

/** The pages of a list of the console's API, one after the other, until the last one. */
export async function* answerPages<T extends { readonly next: string | null }>(
  path: string,
  query: QueryValues,
): AsyncGenerator<T> {
  for (let after: string | undefined; ; ) {
    const page = await read<T>(path, { ...query, after })
    yield page
    if (page.next === null) return
    after = page.next
  }
}
