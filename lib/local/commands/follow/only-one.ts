import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Failure } from '#lib/local/failure.ts'

/**
 * Makes sure that one process alone follows a file; answers what gives the place back. A place that was left by a process
 * that has died is taken over. Throws Failure when another one holds it.
 */
export function takeAlone(lock: string): () => void {
  if (!isTaken(lock)) {
    const holder = Number(readFileSync(lock, 'utf8'))
    if (isRunning(holder)) throw new Failure(`Process ${holder} follows this file already`)
    rmSync(lock)
    if (!isTaken(lock)) throw new Failure('Another process has just begun to follow this file')
  }
  return () => rmSync(lock, { force: true })
}

function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Signal 0 only asks; a process of somebody else runs as well. */
function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
