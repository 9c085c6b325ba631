/** Asks once for each key; whoever asks again, even before a promised answer is there, gets the same answer. */
export function once<T, K = number>(find: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>()
  return (key) => {
    const asked = known.get(key) ?? find(key)
    known.set(key, asked)
    return asked
  }
}
