import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { root } from '#lib/local/location.ts'

/** Why the engine does not run, in one sentence with the way out. */
export class EngineError extends Error {}

/** Where this runs: `process` says it. */
export interface Machine {
  /** As in `process.platform`. */
  readonly platform: string
  /** As in `process.arch`. */
  readonly arch: string
}

/** Where the engine is published for; each has a package of its own, of which npm installs no other machine's. */
const PUBLISHED = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64']

/** The engine's binary: DYNOXIDE_BINARY names one, else it comes in the package of this machine. Throws an EngineError. */
export function findEngineBinary(machine: Machine = process): string {
  const named = process.env['DYNOXIDE_BINARY']
  if (named && !existsSync(named))
    throw new EngineError(`There is no embedded DynamoDB at ${named}: ${WAYS_OUT}`)
  const binary = named || packagedBinary(machine)
  if (binary) return binary
  throw new EngineError(`There is no embedded DynamoDB for ${nameOf(machine)}: ${wayOut(machine)}`)
}

const nameOf = ({ platform, arch }: Machine): string => `${platform}-${arch}`

const packageOf = (machine: Machine): string => `@dynoxide/${nameOf(machine)}`

/** Missing where the package is not installed. */
function packagedBinary(machine: Machine): string | undefined {
  const file = machine.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  try {
    return createRequire(import.meta.url).resolve(`${packageOf(machine)}/${file}`)
  } catch {
    return undefined
  }
}

const WAYS_OUT = 'name its binary in DYNOXIDE_BINARY, or any running DynamoDB in DYNAMODB_ENDPOINT.'

const wayOut = (machine: Machine): string =>
  PUBLISHED.includes(nameOf(machine))
    ? `npm i --no-save ${packageOf(machine)}@${engineVersion()} installs it.`
    : WAYS_OUT

/** The one that everything is tested with: the package of the machines that run the tests says it. */
function engineVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return String(optionalDependencies['@dynoxide/linux-x64']).replace(/^\^/, '')
}
