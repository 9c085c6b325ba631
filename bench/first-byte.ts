import type { Readable } from 'node:stream'

/** Sends a request whose answer is streamed, and gives the answer to `read`. */
export type Ask = <T>(read: (answer: Readable) => Promise<T>) => Promise<T>

interface FirstByte {
  /** By the clock, in milliseconds. */
  readonly wall: number
  /** Processor of this process, in milliseconds. */
  readonly processor: number
}

export const FIRST_BYTE_RUNS = 5

/** The times until the first byte of an answer arrives: the least of several runs. The rest is read and discarded. */
export async function firstByteOf(ask: Ask): Promise<FirstByte> {
  const least = { wall: Number.POSITIVE_INFINITY, processor: Number.POSITIVE_INFINITY }
  for (let run = 0; run < FIRST_BYTE_RUNS; run += 1) {
    const [started, before] = [performance.now(), process.cpuUsage()]
    await ask(async (answer) => {
      answer.once('data', () => {
        const { user, system } = process.cpuUsage(before)
        least.wall = Math.min(least.wall, performance.now() - started)
        least.processor = Math.min(least.processor, (user + system) / 1000)
      })
      for await (const _ of answer);
    })
  }
  return least
}
