import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Debian installs the server in a folder that is only in the PATH of root. */
export const mariaDbEnvironment = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` }

export const hasMariaDb = (): Promise<boolean> =>
  run('mariadbd', ['--version'], { env: mariaDbEnvironment }).then(
    () => true,
    () => false,
  )

/** Starts a MariaDB with its data and its `socket` in a folder. It listens as soon as `ask` resolves. */
export async function startMariaDb(
  home: string,
  option: string,
  ask: () => Promise<unknown>,
): Promise<ChildProcess> {
  const env = mariaDbEnvironment
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
  const common = ['--no-defaults', `--datadir=${join(home, 'data')}`, ...asRoot]
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db'], {
    env,
  })
  const options = [`--socket=${join(home, 'socket')}`, '--skip-networking', '--default-time-zone=+00:00']
  const server = spawn('mariadbd', [...common, ...options, option], { env, stdio: 'ignore' })
  const isListening = () =>
    ask().then(
      () => true,
      () => false,
    )
  while (!(await isListening())) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`)
    await setTimeout(50)
  }
  return server
}
