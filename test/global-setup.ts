import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import { findEngineBinary, freePort } from '#tools/server/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    endpoint: string
  }
}

/**
 * The run's DynamoDB, in which every world makes its table: an embedded engine in memory, or
 * DYNAMODB_ENDPOINT. The run's temporary folders are in one, which goes with it: a test leaves its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-tests-'))
  process.env['TMPDIR'] = folder
  const other = process.env['DYNAMODB_ENDPOINT']
  const engine = other ? { endpoint: other, stop: async () => {} } : await startUngated()
  project.provide('endpoint', engine.endpoint)
  return async () => {
    await engine.stop()
    // A process that a test has just killed may still write into it.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const MOST_ATTEMPTS = 6000

/**
 * An engine without the gate of `npm start`, which has tests of its own: a request passes one process less.
 * It ends with this process, however that ends: the shell reads the end of its input, and ignores Ctrl-C.
 */
async function startUngated() {
  const port = String(await freePort())
  const words = [findEngineBinary(), 'serve', '--host', '127.0.0.1', '--port', port]
  const shell = spawn('sh', ['-c', 'trap \'\' INT TERM; "$0" "$@" & read _; kill -9 $!', ...words], {
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const endpoint = `http://127.0.0.1:${port}`
  const answers = () => fetch(endpoint).then(Boolean, () => false)
  for (let attempt = 0; !(await answers()); attempt += 1) {
    if (attempt === MOST_ATTEMPTS) throw new Error('The engine of the tests does not answer')
    await setTimeout(10)
  }
  const stop = async () => {
    shell.stdin.end()
    await once(shell, 'exit')
  }
  return { endpoint, stop }
}
