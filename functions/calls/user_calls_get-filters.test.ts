import { expect, test } from 'vitest'
import { callsListedIn, totalIn } from '#test/answers/printed.ts'
import { aWorldWithCalls, EVERYONE_TODAY, NOON_SECONDS } from '#test/examples/listed-calls.ts'
import { method } from './user_calls_get.ts'

test.each([
  ['answered', { s_call_type: 'answered' }, ['dave-1', 'bob-1', 'carol-1']],
  ['busy, in any case', { s_call_type: 'Busy' }, ['bob-2']],
  ['no_answer', { s_call_type: 'no_answer' }, ['rick-1']],
  ['no answer', { s_call_type: 'no answer' }, ['rick-1']],
  ['failed, of another day', { s_call_type: 'failed', period_start: 0 }, ['paula-1']],
  ['a word that is not a type counts as not sent', { s_call_type: 'ringing' }, EVERYONE_TODAY],
  ['all types', { s_call_type: 'all' }, EVERYONE_TODAY],
  ['a device', { s_device: 200 }, ['carol-1']],
  [
    'all devices, in the word the answer itself uses',
    { s_device: 'all', s_call_type: 'all', s_provider: 6 },
    ['bob-1'],
  ],
  ['no such device', { s_device: 'phone' }, []],
  ['a provider', { s_provider: 5 }, ['bob-2']],
  ['type, device and provider', { s_call_type: 'answered', s_device: 100, s_provider: 6 }, ['bob-1']],
  ['a hangup cause', { s_hgc: 17 }, ['bob-2']],
  ['no such hangup cause', { s_hgc: 'busy' }, []],
  ['leading digits of the dialled number', { s_destination: '1202' }, EVERYONE_TODAY.slice(0, -1)],
  ['whatever else stands between the digits', { s_destination: '3705' }, ['bob-2']],
  ['a part of the dialled number that does not begin it', { s_destination: '202' }, []],
  [
    'all that clients send though it asks for nothing',
    {
      s_device: 'all',
      s_provider: 'ALL',
      s_hgc: 'all',
      s_did: 'all',
      s_destination: '',
      order_by: 'time',
      order_desc: '0',
      only_did: '0',
      s_callback_uniqueid: '',
      originator_codec_name: '',
      terminator_codec_name: '',
    },
    EVERYONE_TODAY,
  ],
  ['the same, all of it blank', { s_did: '', order_by: '', order_desc: ' ', only_did: '' }, EVERYONE_TODAY],
  ['a unique id', { s_uniqueid: 'carol-1' }, ['carol-1']],
  ['a unique id, whatever the day', { s_uniqueid: 'paula-1' }, ['paula-1']],
  ['a unique id within a period', { s_uniqueid: 'paula-1', period_start: NOON_SECONDS }, []],
  ['a unique id and a customer', { s_uniqueid: 'carol-1', s_user: 10 }, []],
  ['a unique id and a device', { s_uniqueid: 'carol-1', s_device: 1 }, []],
  ['no such unique id', { s_uniqueid: 'x'.repeat(3000) }, []],
  ['an end before the start', { period_start: NOON_SECONDS, period_end: NOON_SECONDS - 1 }, []],
  [
    'both ends belong to the period',
    { period_start: NOON_SECONDS - 10_800, period_end: NOON_SECONDS - 7200 },
    EVERYONE_TODAY.slice(1),
  ],
  ['8,000 years', { period_start: 0, period_end: 253_402_300_799 }, ['paula-1', ...EVERYONE_TODAY]],
  ['no timestamp counts as not sent', { period_start: 'x', period_end: -1 }, EVERYONE_TODAY],
])('filter: %s', async (_case, params, expected) => {
  const world = await aWorldWithCalls()

  const answer = await world.call(method, 'admin', params)

  expect(callsListedIn(answer)).toEqual(expected)
  expect(totalIn(answer)).toBe(expected.length)
})

test.each([
  ['bob', ['bob-1', 'bob-2']],
  ['pat', ['paula-1']],
  ['rick', []],
])('s_provider: %s', async (caller, expected) => {
  const world = await aWorldWithCalls()

  expect(callsListedIn(await world.call(method, caller, { s_provider: 77, period_start: 0 }))).toEqual(
    expected,
  )
})

test('the sent filters are repeated in the answer', async () => {
  const world = await aWorldWithCalls()

  expect(
    await world.call(method, 'admin', { s_user: 'all', s_device: '<7>', s_call_type: 'no answer' }),
  ).toContain(
    '<show_user>all</show_user><show_device>&lt;7&gt;</show_device><show_status>no answer</show_status>',
  )
})

test('an unknown call type is ignored and not repeated', async () => {
  const world = await aWorldWithCalls()

  expect(await world.call(method, 'admin', { s_call_type: 'ringing' })).toContain(
    '<show_status>all</show_status>',
  )
})
