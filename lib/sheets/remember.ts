const MOST_REMEMBERED = 5000

/** For cells that repeat themselves: what one says is worked out once. */
export function remembering<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const remembered = known.get(text)
    if (remembered !== undefined) return remembered
    const value = read(text)
    if (known.size < MOST_REMEMBERED) known.set(text, value)
    return value
  }
}
