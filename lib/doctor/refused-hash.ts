import { explainHash, type SignedCall } from './explain-hash.ts'
import { findingCode } from './finding-code.ts'

/** So many refused calls a minute are looked at: a flood of them costs a fifth of a second of each minute. */
const MOST_A_MINUTE = 10

/** In milliseconds: so much later a refused caller may get its answer. */
const LONGEST_LOOK = 20

/** Answers what the hash of a refused call was made of, as a code; nothing when it has looked often enough for now. */
type HashReader = (call: SignedCall, now: Date) => string | undefined

export function createHashReader(): HashReader {
  let recent: number[] = []
  return (call, now) => {
    recent = recent.filter((at) => at > now.getTime() - 60_000)
    if (recent.length >= MOST_A_MINUTE) return undefined
    recent.push(now.getTime())
    return findingCode(explainHash(call, LONGEST_LOOK), call)
  }
}

/** That of this process. */
export const readRefusedHash: HashReader = createHashReader()
