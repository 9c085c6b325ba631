/**
 * The pages from the first one on that holds anything; `undefined` when none does. An answer that begins with its first
 * row must know whether there is one.
 */
export async function fromFirstFound<T>(
  pages: AsyncGenerator<T[]>,
): Promise<AsyncGenerator<T[]> | undefined> {
  for (;;) {
    const { value, done } = await pages.next()
    if (done) return undefined
    if (value.length > 0) return continued(value, pages)
  }
}

async function* continued<T>(first: T[], rest: AsyncGenerator<T[]>): AsyncGenerator<T[]> {
  yield first
  yield* rest
}
