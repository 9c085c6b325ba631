import { expect, test } from 'vitest'
import { dialogEvent } from '#test/mediation/csv-switch.ts'
import type { CdrDocument } from '../formats/formats.ts'
import { parse } from '../formats/parse.ts'
import { arrivalOrder } from '../mediation.ts'
import { arrivalOf, dialogOf, type EventPart } from './dialog-parts.ts'

const document: CdrDocument = {
  format: 'kamailio-json',
  source: 'sip1',
  zone: 'UTC',
  text: dialogEvent('INVITE', '200', 0),
}

const AT = Date.UTC(2026, 2, 10, 9) / 1000

function part(change: Partial<EventPart> = {}): EventPart {
  const [parsed] = parse(document)
  if (parsed?.found.kind !== 'dialog_event') throw new Error('It is not a dialog event')
  return { document, found: parsed.found, text: () => document.text, ...change }
}

/** An hour after the event. */
const LATER = AT + 3600
const order = arrivalOrder(new Date(LATER * 1000))

test.each([
  ['one that was pending, when it came first', { arrived: AT + 60, order }, AT + 60],
  ['one of a file, at its place in the order of suspense', { order }, LATER],
  ['one without a place, when it happened', {}, AT],
  ['one that is retried, when it happened', { order, isRetried: true as const }, AT],
])('an event came: %s', (_which, change, arrival) => {
  expect(arrivalOf(part(change))).toBe(arrival)
})

test('the digest of a dialog is short, and that of one switch, Call-ID and pair of tags', () => {
  const digestOf = (change: Partial<CdrDocument>, event: object = {}) => {
    const { found, ...rest } = part()
    return dialogOf({
      ...rest,
      document: { ...document, ...change },
      found: { ...found, event: { ...found.event, ...event } },
    })
  }
  const digests = [
    digestOf({}),
    digestOf({ source: 'sip2' }),
    digestOf({}, { callId: 'd2' }),
    digestOf({}, { tags: ['a', 'c'] }),
  ]

  expect(digests).toEqual(Array(4).fill(expect.stringMatching(/^[0-9a-f]{40}$/)))
  expect(new Set(digests).size).toBe(4)
  expect(digestOf({}, { tags: ['b', 'a'] })).toBe(digests[0])
})
