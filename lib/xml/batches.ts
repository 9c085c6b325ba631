import type { Content, Rows } from './element.ts'

/** A list of which the first part is there already: whether there is anything at all can be said before an answer begins. */
export interface Begun<T> {
  readonly first: readonly T[]
  readonly all: AsyncIterable<readonly T[]>
}

/** Waits for the first batch that is not empty; `undefined`: none came. */
export async function begin<T>(batches: AsyncGenerator<readonly T[]>): Promise<Begun<T> | undefined> {
  for (;;) {
    const next = await batches.next()
    if (next.done) return undefined
    if (next.value.length > 0) return { first: next.value, all: from(next.value, batches) }
  }
}

async function* from<T>(first: readonly T[], rest: AsyncGenerator<readonly T[]>) {
  yield first
  yield* rest
}

/**
 * Content for batches that are still to come. `expectedBytes` says about how much it will be, where that is known and may
 * be more than an answer can carry.
 */
export const rowsOf = <T, B extends Content>(
  batches: AsyncIterable<readonly T[]>,
  toContent: (batch: readonly T[]) => B | Promise<B>,
  expectedBytes = 0,
): Rows<B> => ({ batches: contents(batches, toContent), expectedBytes })

async function* contents<T, B extends Content>(
  batches: AsyncIterable<readonly T[]>,
  toContent: (batch: readonly T[]) => B | Promise<B>,
): AsyncGenerator<B> {
  for await (const batch of batches) yield await toContent(batch)
}
