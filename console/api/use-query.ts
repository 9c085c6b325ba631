import { useCallback, useEffect, useState } from 'preact/hooks'
import type { AnswerTo } from '#lib/api/console/answers/answers.ts'
import type { SessionAnswer } from '#lib/api/console/answers/installation.ts'
import { type QueryValues, type RefusedRequest, read } from './console-api.ts'

/** The result of a read, or the reason why it failed. `again` reads it again. */
export interface ApiQuery<T> {
  readonly value?: T | undefined
  readonly problem?: RefusedRequest | undefined
  readonly isUnderWay: boolean
  readonly again: () => void
}

/** A server that could not be reached is asked again after this time. */
const RETRY_MS = 4000

interface Found<T> {
  readonly asked: string
  readonly value?: T
  readonly problem?: RefusedRequest
}

/** A path to read; `undefined` for an account without its section. */
export const pathFor = <const P extends string>({ sections }: SessionAnswer, section: Section, path: P) =>
  sections.includes(section) ? path : undefined

type Section = SessionAnswer['sections'][number]

/** Reads from the console's API, again for a new path or query, whose result alone is then shown. */
export function useQuery<const P extends string>(
  path: P | undefined,
  query: QueryValues = {},
): ApiQuery<AnswerTo<'GET', P>> {
  type T = AnswerTo<'GET', P>
  const asked = path === undefined ? '' : JSON.stringify([path, query])
  const [found, setFound] = useState<Found<T>>({ asked: '' })
  const [turn, setTurn] = useState(0)
  const again = useCallback(() => setTurn((before) => before + 1), [])
  useEffect(() => {
    if (path === undefined) return
    let isWanted = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (one: Found<T>) => isWanted && setFound(one)
    read(path, query).then(
      (value) => show({ asked, value }),
      (problem: RefusedRequest) => {
        show({ asked, problem })
        if (isWanted && problem.code === 'unreachable') timer = setTimeout(again, RETRY_MS)
      },
    )
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [asked, turn])
  const isCurrent = found.asked === asked
  return {
    value: isCurrent ? found.value : undefined,
    problem: isCurrent ? found.problem : undefined,
    isUnderWay: path !== undefined && !isCurrent,
    again,
  }
}
