import { useState } from 'preact/hooks'
import type { Refusal } from './console-api.ts'

export interface Action {
  readonly isUnderWay: boolean
  readonly problem?: Refusal | undefined
  readonly run: (action: () => Promise<unknown>) => Promise<void>
}

/** An action that somebody asked for. Its refusal stays beside its button. */
export function useAction(): Action {
  const [isUnderWay, setUnderWay] = useState(false)
  const [problem, setProblem] = useState<Refusal>()
  const run = async (action: () => Promise<unknown>) => {
    setUnderWay(true)
    setProblem(undefined)
    await action().catch((error: Refusal) => setProblem(error))
    setUnderWay(false)
  }
  return { isUnderWay, problem, run }
}
