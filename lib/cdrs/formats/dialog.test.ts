import { expect, test } from 'vitest'
import type { DialogEvent } from './cdr.ts'
import { correlated } from './dialog.ts'

const START = 1_773_119_520

const event = (
  kind: DialogEvent['kind'],
  at: number,
  tags: DialogEvent['tags'] = ['a', 'b'],
): DialogEvent => ({
  kind,
  callId: 'call',
  tags,
  at,
  sipStatus: kind === 'failed' ? 486 : 200,
  src: '2030',
  dst: '4420',
  party: { accountCode: '', device: '2030', sipUser: '2030', did: '4420', ip: '' },
  provider: {
    out: { names: ['potomac'], addresses: [], channels: [] },
    in: { names: [], addresses: [], channels: [] },
  },
})

const answered = event('answered', START)
const ended = event('ended', START + 60, ['b', 'a'])

test('an answer and an end are a call, in any order and with repetitions', () => {
  const later = [event('answered', START + 30), event('ended', START + 61)]
  const { kind, callId, tags, at, sipStatus, ...ends } = answered
  const call = {
    kind: 'cdr',
    cdr: {
      uniqueid: 'call',
      part: 'a b',
      start: START,
      duration: 60,
      billsec: 60,
      disposition: 'ANSWERED',
      hangupcause: 16,
      channel: '',
      ...ends,
    },
  }

  expect(correlated([answered, ended, ...later], () => false)).toEqual(call)
  expect(correlated([...later, ended, answered], () => false)).toEqual(call)
})

test('a second that has begun counts between the exact moments of a dialog', () => {
  const from = { ...answered, fraction: 0.9 }
  const till = (seconds: number, fraction: number) => ({ ...event('ended', START + seconds), fraction })
  expect(correlated([from, till(1, 0.1)], () => false)).toMatchObject({ cdr: { start: START, billsec: 1 } })
  expect(correlated([from, till(1, 0.901)], () => false)).toMatchObject({ cdr: { billsec: 2 } })
  expect(correlated([from, till(60, 0.9)], () => false)).toMatchObject({ cdr: { billsec: 60 } })
})

test('both directions of a dialog have the same part', () => {
  expect(correlated([event('answered', START, ['b', 'a']), ended], () => false)).toMatchObject({
    cdr: { part: 'a b' },
  })
})

test('a call that ends before its answer has no length', () => {
  expect(correlated([answered, event('ended', START - 1)], () => false)).toMatchObject({
    cdr: { start: START, billsec: 0 },
  })
})

test('a refused INVITE is a call of its own, unless the dialog was answered', () => {
  const failed = event('failed', START + 5)
  const refused = { start: START + 5, duration: 0, billsec: 0, disposition: 'BUSY', hangupcause: 17 }

  expect(correlated([failed], () => false)).toMatchObject({ kind: 'cdr', cdr: refused })
  expect(correlated([failed, answered], () => false)).toEqual({ kind: 'pending' })
  expect(correlated([failed, answered, ended], () => false)).toMatchObject({ cdr: { billsec: 60 } })
})

test.each<[DialogEvent, string]>([
  [answered, 'no_end'],
  [event('ended', START), 'no_start'],
])('an event is pending, and then overdue: %#', (one, overdue) => {
  expect(correlated([one], () => false)).toEqual({ kind: 'pending' })
  expect(correlated([one], () => true)).toEqual({ kind: overdue })
})

test('no events at all are pending', () => {
  expect(correlated([], () => false)).toEqual({ kind: 'pending' })
})

test('a BYE before the answer ends no call, unless a later one does', () => {
  const early = event('ended', START - 2, ['b', 'a'])

  expect(correlated([answered, early], () => false)).toEqual({ kind: 'ends_first' })
  expect(correlated([early, ended, answered], () => false)).toMatchObject({ cdr: { billsec: 60 } })
  expect(correlated([answered, event('ended', START)], () => false)).toMatchObject({ cdr: { billsec: 0 } })
})
