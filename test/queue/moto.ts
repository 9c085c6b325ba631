import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** moto is a stand-in for AWS, of Python: https://docs.getmoto.org */
const PROGRAM = 'moto_server'

/** A job of each change needs moto (check.yml): it takes seconds to start. */
export const motoIsSkipped = !process.env['TOLLGATE_NEEDS_MOTO']

/** Starts moto on a free port and returns its address. It stops with the test. */
export async function startMoto(): Promise<string> {
  const child = spawn(PROGRAM, ['-p', '0'], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void child.kill())
  for await (const line of createInterface({ input: child.stderr })) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error('moto_server has ended')
}
