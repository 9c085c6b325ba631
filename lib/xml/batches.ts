import type { Content, RowStream } from './element.ts'

/** A list whose first batch was read, so an empty list can be refused before the answer begins. */
export interface StartedList<T> {
  readonly first: readonly T[]
  readonly all: AsyncIterable<readonly T[]>
}

/** Reads the first batch that is not empty; `undefined` for an empty list. */
export async function readFirstBatch<T>(
  batches: AsyncGenerator<readonly T[]>,
): Promise<StartedList<T> | undefined> {
  for (;;) {
    const next = await batches.next()
    if (next.done) return undefined
    if (next.value.length > 0) return { first: next.value, all: prepend(next.value, batches) }
  }
}

async function* prepend<T>(first: readonly T[], rest: AsyncGenerator<readonly T[]>) {
  yield first
  yield* rest
}

/** Joins small batches, so that what is read for a batch is read for many rows at once. */
export async function* joinedBatches<T>(
  batches: AsyncIterable<readonly T[]>,
  least: number,
): AsyncGenerator<readonly T[]> {
  let joined: T[] = []
  for await (const batch of batches) {
    joined.push(...batch)
    if (joined.length < least) continue
    yield joined
    joined = []
  }
  if (joined.length > 0) yield joined
}

/**
 * Converts batches to content as they arrive. Pass the approximate size of the markup as `expectedBytes` if
 * it may exceed the limit of an answer.
 */
export const rowStream = <T, B extends Content>(
  batches: AsyncIterable<readonly T[]>,
  toContent: (batch: readonly T[]) => B | Promise<B>,
  expectedBytes = 0,
): RowStream<B> => ({ batches: contents(batches, toContent), expectedBytes })

async function* contents<T, B extends Content>(
  batches: AsyncIterable<readonly T[]>,
  toContent: (batch: readonly T[]) => B | Promise<B>,
): AsyncGenerator<B> {
  for await (const batch of batches) yield await toContent(batch)
}
