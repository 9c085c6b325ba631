import { useCallback, useState } from 'preact/hooks'

/** The state of a question: not put yet, under way, answered or refused. */
export interface Asked<T> {
  readonly isUnderWay: boolean
  readonly value?: T
  readonly problem?: string
}

/** The state of a question, and how to put it. An earlier answer stays until the next one comes. */
export function useAnswer<T>(): readonly [Asked<T>, (question: () => Promise<T>) => Promise<void>] {
  const [asked, setAsked] = useState<Asked<T>>({ isUnderWay: false })
  const put = useCallback(async (question: () => Promise<T>) => {
    setAsked((before) => ({ ...before, isUnderWay: true }))
    try {
      setAsked({ isUnderWay: false, value: await question() })
    } catch (error) {
      setAsked({ isUnderWay: false, problem: (error as Error).message })
    }
  }, [])
  return [asked, put]
}
