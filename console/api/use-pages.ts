import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { AnswerTo, OperationPath } from '#lib/api/console/answers/answers.ts'
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

/** The paths whose answers are pages. */
type PagedPath = {
  [P in OperationPath<'GET'>]: AnswerTo<'GET', P> extends { readonly next: string | null } ? P : never
}[OperationPath<'GET'>]

type Paged<P extends PagedPath> = AnswerTo<'GET', P> & { readonly next: string | null }

const readPage = <const P extends PagedPath>(path: P, query: QueryValues) =>
  read(path, query) as Promise<Paged<P>>

/** Reads a list page by page. Another query begins a new list. */
export function usePages<const P extends PagedPath>(path: P, query: QueryValues): PagesQuery<Paged<P>> {
  type A = Paged<P>
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
    const show = (one: Found<A>) => {
      if (underWay.current !== page) return
      underWay.current = ''
      setFound(one)
    }
    readPage(path, { ...query, after: next }).then(
      (answer) => show({ asked, pages: [...pages, answer] }),
      (problem: RefusedRequest) => show({ asked, pages, problem }),
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
export async function* answerPages<const P extends PagedPath>(
  path: P,
  query: QueryValues,
): AsyncGenerator<Paged<P>> {
  for (let after: string | undefined; ; ) {
    const page = await readPage(path, { ...query, after })
    yield page
    if (page.next === null) return
    after = page.next
  }
}
