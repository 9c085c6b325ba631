import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Runs `work` with a randomness that is the same each time: the suffixes of logs are counted, and shards are the first ones. */
export async function withRepeatableRandomness<T>(work: () => Promise<T>): Promise<T> {
  const { randomInt, randomUUID } = crypto
  let drawn = 0
  const counted = () => `00000000-0000-4000-8000-${String(drawn++).padStart(12, '0')}`
  replace({ randomInt: () => 0, randomUUID: counted })
  try {
    return await work()
  } finally {
    replace({ randomInt, randomUUID })
  }
}

/** Also replaces what modules have imported by name. */
function replace(functions: Readonly<Record<'randomInt' | 'randomUUID', unknown>>): void {
  Object.assign(crypto, functions)
  syncBuiltinESMExports()
}
