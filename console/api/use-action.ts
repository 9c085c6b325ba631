import { useRef, useState } from 'preact/hooks'
import type { RefusedRequest } from './console-api.ts'

export interface Action {
  readonly isUnderWay: boolean
  readonly problem?: RefusedRequest | undefined
  /**
   * Passes the key of all attempts until one succeeds: after a lost answer, nothing is done twice. An answer
   * that comes after a later run has begun is not the one to show.
   */
  readonly run: (
    action: (idempotencyKey: string, isLatest: () => boolean) => Promise<unknown>,
  ) => Promise<void>
}

const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** An action that somebody asked for. Its refusal stays next to its button. */
export function useAction(): Action {
  const [isUnderWay, setUnderWay] = useState(false)
  const [problem, setProblem] = useState<RefusedRequest>()
  const [key, setKey] = useState(newKey)
  const latest = useRef(0)
  const run: Action['run'] = async (action) => {
    latest.current += 1
    const place = latest.current
    const isLatest = () => place === latest.current
    setUnderWay(true)
    setProblem(undefined)
    await action(key, isLatest).then(
      () => setKey(newKey),
      (error: RefusedRequest) => isLatest() && setProblem(error),
    )
    if (isLatest()) setUnderWay(false)
  }
  return { isUnderWay, problem, run }
}
