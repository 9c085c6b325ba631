import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { ACCOUNT_TYPES } from '#lib/domain/accounts/account.ts'
import { readEvidence, shows } from '#test/evidence/evidence.ts'
import { type FunctionFile, loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/location.ts'

/**
 * Runs after all other tests, over what they have noted. Only a method's own tests count, those in its folder: random
 * calls may hit anything, and prove nothing.
 */
const files = await loadFunctionFiles()
const evidence = readEvidence()

const ownTest = ({ path }: FunctionFile): string => `${path}.test.ts`

test.each(files.map((file) => [file.method.name, file] as const))(
  '%s has a test of its own',
  (_name, file) => {
    expect(existsSync(root + ownTest(file))).toBe(true)
  },
)

test.for(files.map((file) => [file.method.name, file] as const))(
  'tests show everything that the contract of %s declares',
  ([name, file], { skip }) => {
    const own = evidence.filter(({ test: by }) => dirname(by) === `functions/${file.area}`)
    if (!own.some(({ test: by }) => by === ownTest(file))) return skip('its tests did not run')
    const shown = new Set(own.filter(({ method }) => method === name).map((one) => one.shows))

    expect(promises(file.method).filter((promise) => !shown.has(promise))).toEqual([])
  },
)

/** Every refusal, an answer for every allowed account type, and the refusals of all others. */
function promises({ callers, errors }: Method): string[] {
  const refusals = Object.keys(errors).map(shows.refusal)
  if (callers === 'public') return [...refusals, ...ACCOUNT_TYPES.map(shows.answer)]
  const types = ACCOUNT_TYPES.map((type) =>
    callers.allowed.includes(type) ? shows.answer(type) : shows.rejection(type),
  )
  return [...refusals, ...types, shows.rejection('anonymous')]
}
