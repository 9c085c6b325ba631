import { execFileSync } from 'node:child_process'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './program.ts'

/**
 * The version and the commit of this program, as the table notes them. A checkout asks git; without git it is
 * the version alone.
 */
export const currentBuild = (): string =>
  [packageJson.version, process.env['TOLLGATE_COMMIT'] ?? commitOfCheckout()].filter(Boolean).join(' ')

function commitOfCheckout(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return ''
  }
}
