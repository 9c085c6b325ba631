/** Asks once for each id; whoever asks again, even before the answer is there, gets the same answer. */
export function once<T>(find: (id: number) => Promise<T>): (id: number) => Promise<T> {
  const known = new Map<number, Promise<T>>()
  return (id) => {
    const asked = known.get(id) ?? find(id)
    known.set(id, asked)
    return asked
  }
}
