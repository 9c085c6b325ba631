import { useState } from 'preact/hooks'
import type { RefusedRequest } from './console-api.ts'

export interface Action {
  readonly isUnderWay: boolean
  readonly problem?: RefusedRequest | undefined
  /** Passes the key of all attempts until one succeeds: after a lost answer, nothing is done twice. */
  readonly run: (action: (idempotencyKey: string) => Promise<unknown>) => Promise<void>
}

const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** An action that somebody asked for. Its refusal stays beside its button. */
export function useAction(): Action {
  const [isUnderWay, setUnderWay] = useState(false)
  const [problem, setProblem] = useState<RefusedRequest>()
  const [key, setKey] = useState(newKey)
  const run: Action['run'] = async (action) => {
    setUnderWay(true)
    setProblem(undefined)
    await action(key).then(
      () => setKey(newKey),
      (error: RefusedRequest) => setProblem(error),
    )
    setUnderWay(false)
  }
  return { isUnderWay, problem, run }
}
