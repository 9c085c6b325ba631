import { useEffect, useState } from 'preact/hooks'

const SEARCH_DELAY_MS = 200

/** Asks once the text has stayed for a moment. Finds nothing before the answer, or without a text. */
export function useSearch<T>(text: string, find: (search: string) => Promise<readonly T[]>): readonly T[] {
  const [found, setFound] = useState<readonly T[]>([])
  const search = text.trim()
  useEffect(() => {
    setFound([])
    if (search === '') return
    let isWanted = true
    const show = (things: readonly T[]) => isWanted && setFound(things)
    const timer = setTimeout(() => {
      find(search).then(show, () => show([]))
    }, SEARCH_DELAY_MS)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [search])
  return found
}
