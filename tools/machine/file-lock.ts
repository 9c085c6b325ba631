import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryLock } from 'fs-native-extensions'
import { CommandError } from './terminal.ts'

/** The locked byte is far after the content: on Windows no other process can read a locked byte. */
const LOCKED_BYTE = 1_000_000

/**
 * Locks a file for this process, writes its content and returns the release. The kernel frees the lock when
 * the process ends in any way. The file stays: without it, a third process could lock a new file of the name.
 * Throws CommandError with the words of `refusal` if another process holds the lock.
 */
export function lockFile(
  path: string,
  refusal: (holder: string) => string,
  content = String(process.pid),
): () => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'a+', 0o600)
  if (!tryLock(file, LOCKED_BYTE, 1)) {
    closeSync(file)
    throw new CommandError(refusal(holderIn(path)))
  }
  ftruncateSync(file)
  writeSync(file, content)
  return () => closeSync(file)
}

/** Whether a process holds the lock of a file. Readers share the lock for a moment. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const file = openSync(path, 'r')
  const isFree = tryLock(file, LOCKED_BYTE, 1, { shared: true })
  closeSync(file)
  return !isFree
}

/** The holder writes its process id a moment after it has taken the lock. */
function holderIn(path: string): string {
  const pid = readFileSync(path, 'utf8')
  return /^\d+$/.test(pid) ? `process ${pid}` : 'another process'
}
