import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from '#tools/machine/location.ts'

/** Runs tests in a process of their own, which prints their results. Returns whether all have passed. */
export async function runVitest(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...words]
  const env = { ...process.env, ...environment }
  const [code] = await once(spawn(process.execPath, vitest, { cwd: root, stdio: 'inherit', env }), 'exit')
  return code === 0
}
