import { useCallback, useState } from 'preact/hooks'

/** What somebody has asked for: nothing yet, on its way, there, or refused. */
export interface Asked<T> {
  readonly isUnderWay: boolean
  readonly value?: T
  readonly problem?: string
}

/** The state of a question, and how to put it. What was answered before stays while the next answer is on its way. */
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
