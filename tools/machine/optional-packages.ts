import packageJson from '../../package.json' with { type: 'json' }
import { CommandError } from './terminal.ts'

/** A package that `npm ci` leaves out, for few commands need it and it is large. */
type OptionalPackage = keyof typeof packageJson.peerDependencies

/** Installs such packages in tested versions. Without --save-dev, npm omits them as optional peers. */
export const installLine = (...names: readonly OptionalPackage[]): string =>
  [
    'npm install --no-save --save-dev',
    ...names.map((name) => `${name}@${packageJson.peerDependencies[name]}`),
  ].join(' ')

/** For such a package's import: throws the remedy if it is missing, and other errors unchanged. */
export const throwInstallLine =
  (what: string, ...names: readonly OptionalPackage[]) =>
  (error: unknown): never => {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    throw isMissing
      ? new CommandError(`${what} is not installed: run ${installLine(...names)}, then this again`)
      : error
  }
