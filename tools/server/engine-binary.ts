import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { root } from '#tools/machine/location.ts'
import { CommandError } from '#tools/machine/terminal.ts'

export interface Machine {
  readonly platform: string
  readonly arch: string
}

/** The machines with a package of the engine. npm installs only the package of its own machine. */
const PUBLISHED_MACHINES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64']

/** The engine's path: DYNOXIDE_BINARY, or this machine's package. Throws CommandError without one. */
export function findEngineBinary(machine: Machine = process): string {
  const named = process.env['DYNOXIDE_BINARY']
  if (named && !existsSync(named))
    throw new CommandError(`There is no embedded DynamoDB at ${named}: ${REMEDY}`)
  const binary = named || packagedBinary(machine)
  if (binary) return binary
  throw new CommandError(`There is no embedded DynamoDB for ${machineName(machine)}: ${remedyFor(machine)}`)
}

const machineName = ({ platform, arch }: Machine): string => `${platform}-${arch}`

const packageOf = (machine: Machine): string => `@dynoxide/${machineName(machine)}`

/** `undefined` if the package is not installed. */
function packagedBinary(machine: Machine): string | undefined {
  const file = machine.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  try {
    return createRequire(import.meta.url).resolve(`${packageOf(machine)}/${file}`)
  } catch {
    return undefined
  }
}

const REMEDY = 'name its binary in DYNOXIDE_BINARY, or any running DynamoDB in DYNAMODB_ENDPOINT.'

const remedyFor = (machine: Machine): string =>
  PUBLISHED_MACHINES.includes(machineName(machine))
    ? `run npm i --no-save ${packageOf(machine)}@${engineVersion()}.`
    : REMEDY

/** The version that the tests use: package.json declares it for the machines that run them. */
function engineVersion(): string {
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  return String(optionalDependencies['@dynoxide/linux-x64']).replace(/^\^/, '')
}
