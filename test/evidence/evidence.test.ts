import { afterEach, expect, test } from 'vitest'
import { noteRejection, readEvidence } from '#test/evidence/evidence.ts'
import { method } from '../../functions/devices/devices_get.ts'

const WORDS = method.callers.anonymous

/** A caller is turned away, and then the test asserts this of the answer. */
function turnedAway(assert: (body: string) => void): void {
  const body = `<page><error>${WORDS}</error></page>`
  noteRejection(method, {} as Parameters<typeof noteRejection>[1], body)
  assert(body)
}

const noted = () => readEvidence().filter(({ test: by }) => by === 'test/evidence/evidence.test.ts').length

let before = noted()
afterEach(() => {
  before = noted()
})

test('a refusal that no assertion names is no evidence, and neither is one that the test denies', () => {
  turnedAway((body) => expect(body).toContain('<page>'))
  turnedAway((body) => expect(body.toUpperCase()).not.toContain(WORDS))

  expect(noted()).toBe(before)
})

test('a refusal is evidence when an assertion names its words', () => {
  turnedAway((body) => expect([{ body }]).toEqual([{ body: expect.stringContaining(WORDS) }]))

  expect(noted()).toBe(before + 1)
})
