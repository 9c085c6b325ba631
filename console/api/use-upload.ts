import { useState } from 'preact/hooks'
import { type Action, useAction } from './use-action.ts'

interface Upload<A> extends Omit<Action, 'run'> {
  readonly file: File | undefined
  /** What the server found in it; none while another file is read. */
  readonly found: A | undefined
  readonly choose: (file: File | undefined) => void
  /** Shows an answer about the file, unless somebody has asked for another one meanwhile. */
  readonly ask: (answerOf: () => Promise<A>) => Promise<void>
}

/** A chosen file, and what the server says of it. */
export function useUpload<A>(): Upload<A> {
  const [file, setFile] = useState<File>()
  const [found, setFound] = useState<A>()
  const { run, ...action } = useAction()
  const choose = (chosen: File | undefined) => {
    setFile(chosen)
    setFound(undefined)
  }
  const ask = (answerOf: () => Promise<A>) =>
    run(async (_key, isLatest) => {
      const answer = await answerOf()
      if (isLatest()) setFound(answer)
    })
  return { ...action, file, found, choose, ask }
}
