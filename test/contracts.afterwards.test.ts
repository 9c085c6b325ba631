import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { memoize } from '#lib/base/collections.ts'
import { type CallerKind, readEvidence, rejectionOf, shows } from '#test/evidence/evidence.ts'
import { type FunctionFile, loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/program.ts'

/**
 * Runs after all other tests, over what they have noted. Only a method's own tests count, those in its
 * folder: random calls may hit anything, and prove nothing.
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
    const shown = own.filter(({ method }) => method === name)
    const isShown = (promise: Promised) =>
      shown.some((one) => one.shows === promise.shows && sourceOf(one.test).includes(promise.words))

    expect(promises(file.method).filter((promise) => !isShown(promise))).toEqual([])
  },
)

const sourceOf = memoize((test: string) => readFileSync(root + test, 'utf8'))

/** A promise that a test has to show. A refusal that merely occurs shows nothing: it names its words. */
interface Promised {
  readonly shows: string
  readonly words: string
}

/** Every refusal, an answer for every allowed account type, and the refusals of all others. */
function promises(method: Method): Promised[] {
  const { callers, errors } = method
  const refusals = Object.entries(errors).map(([code, words]) => ({ shows: shows.refusal(code), words }))
  const kinds = [
    ...(callers === 'signed' ? [] : ACCOUNT_TYPES),
    ...(callers === 'public' ? [] : (['anonymous'] as const)),
  ]
  return [...refusals, ...kinds.map((kind) => promiseTo(kind, method))]
}

function promiseTo(kind: CallerKind, method: Method): Promised {
  const { callers } = method
  const isAllowed = typeof callers === 'string' || callers.allowed.some((one) => one === kind)
  return isAllowed
    ? { shows: shows.answer(kind), words: '' }
    : { shows: shows.rejection(kind), words: rejectionOf(method, kind) ?? '' }
}
