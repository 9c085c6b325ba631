import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { CommandError } from '#tools/machine/terminal.ts'
import { findEngineBinary, type Machine } from './engine.ts'

const machine = (name: string): Machine => {
  const [platform = '', arch = ''] = name.split('-')
  return { platform, arch }
}

test('the engine is in the package of the machine, or at DYNOXIDE_BINARY', () => {
  const own = findEngineBinary()
  vi.stubEnv('DYNOXIDE_BINARY', process.execPath)

  expect(existsSync(own)).toBe(true)
  expect(findEngineBinary()).toBe(process.execPath)
})

const refusalOn = (name: string): string => {
  try {
    return findEngineBinary(machine(name))
  } catch (error) {
    if (error instanceof CommandError) return error.message
    throw error
  }
}

/** The machine that runs the tests has its package installed. */
const elsewhere = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'].filter(
  (name) => name !== `${process.platform}-${process.arch}`,
)

test.each(elsewhere)('without the package of %s, one sentence says how it is installed', (name) => {
  expect(refusalOn(name)).toMatch(
    new RegExp(
      `^There is no embedded DynamoDB for ${name}: run npm i --no-save @dynoxide/${name}@\\d+\\.\\d+\\.\\d+\\.$`,
    ),
  )
})

test('an unsupported machine and a missing binary get the remedy', () => {
  expect(refusalOn('freebsd-x64')).toMatch(
    /^There is no embedded DynamoDB for freebsd-x64: name its binary in DYNOXIDE_BINARY/,
  )
  vi.stubEnv('DYNOXIDE_BINARY', '/nowhere/dynoxide')
  expect(refusalOn('linux-x64')).toMatch(/^There is no embedded DynamoDB at \/nowhere\/dynoxide: /)
})
