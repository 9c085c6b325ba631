import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { ConditionFailed, isTransient } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { anOperator, CALL, csv, FIRST_CALL, reasonsOf, send, stored } from '#test/mediation/csv-switch.ts'
import { cdrsIn, demoDocument } from '#test/mediation/switch-documents.ts'
import { openMediation } from '../mediation.ts'
import { retryEntries } from '../pipeline/retry.ts'
import { implausible } from './cdr.ts'
import { parse } from './parse.ts'

const [cdr] = cdrsIn([
  ...parse({ format: 'asterisk-csv', source: 'pbx', zone: 'UTC', text: demoDocument('Master.csv') }),
])
if (!cdr) throw new Error('The demo has no CDR')

const now = cdr.start + 3600

const lasting = (hours: number, seconds = 0) => ({
  duration: hours * 3600 + seconds,
  billsec: hours * 3600 + seconds,
})

const BEGINS_TOO_LATE = 'impossible_time: it begins more than a day from now'
const ENDS_TOO_LATE = 'impossible_time: it ends more than a day from now'

test.each([
  ['a call of an hour ago is plausible', {}, undefined],
  ['a call of a clock that is a day ahead is plausible', { start: now + 86_400 - cdr.duration }, undefined],
  ['an end more than a day ahead is impossible', { start: now + 86_401 - cdr.duration }, ENDS_TOO_LATE],
  ['a start more than a day ahead is impossible', { start: now + 86_401 }, BEGINS_TOO_LATE],
  ['a start of a clock that is a day ahead is not the mistake', { start: now + 86_400 }, ENDS_TOO_LATE],
  [
    'a call of a year cannot have begun a minute ago',
    { start: now - 60, ...lasting(365 * 24) },
    ENDS_TOO_LATE,
  ],
  ['a call of Max_Call_Hours is plausible', { start: now - 48 * 3600, ...lasting(24) }, undefined],
  [
    'a call that rang before it lasted for Max_Call_Hours, as call control granted, is plausible',
    { start: now - 48 * 3600, ...lasting(24), duration: 24 * 3600 + 10 },
    undefined,
  ],
  [
    'a longer one is not',
    { start: now - 48 * 3600, ...lasting(24, 1) },
    'too_long: 86401 seconds are more than Max_Call_Hours (24)',
  ],
  [
    'a start before 2000 is impossible',
    { start: 946_684_799 },
    'impossible_time: it begins before the year 2000',
  ],
  ['the first second of 2000 is possible', { start: 946_684_800 }, undefined],
  [
    'the billed length is at most the duration',
    { billsec: 77 },
    `billed_exceeds_duration: 77 of ${cdr.duration} seconds are billed`,
  ],
  ['a call may be billed from its start to its end', { duration: 60, billsec: 60 }, undefined],
  [
    'a billed call needs a known disposition',
    { disposition: 'SPOKEN' },
    `unknown_disposition: ${cdr.billsec} seconds are billed of a call that is "SPOKEN"`,
  ],
  [
    'a busy call is not billed',
    { disposition: 'BUSY' },
    `not_answered_but_billed: ${cdr.billsec} seconds are billed of a call that is "BUSY"`,
  ],
  [
    'a call without billed seconds may have an unknown disposition',
    { disposition: 'SPOKEN', billsec: 0 },
    undefined,
  ],
])('%s', (_case, change, expected) => {
  const problem = implausible({ ...cdr, ...change }, { now, settings: readSettings({}) })
  expect(problem && `${problem.reason}: ${problem.detail}`).toBe(expected)
})

test('Max_Call_Hours raises the limit of a length, and 0 lifts it', () => {
  const long = { ...cdr, start: now - 72 * 3600, ...lasting(48) }
  const reasonWith = (Max_Call_Hours: string) =>
    implausible(long, { now, settings: readSettings({ Max_Call_Hours }) })?.reason
  expect(['24', '47', '48', '0'].map(reasonWith)).toEqual(['too_long', 'too_long', undefined, undefined])
})

test('a failure of the table at any read suspends no call', async () => {
  const world = await anOperator()
  let [reads, failing] = [0, 1]
  const failAtNth = () => {
    reads += 1
    if (reads === failing) throw Object.assign(new Error('The connection ended'), { code: 'ECONNRESET' })
  }
  const store: Store = {
    ...world.store,
    get: async (key) => {
      failAtNth()
      return world.store.get(key)
    },
    getMany: async (...asked) => {
      failAtNth()
      return world.store.getMany(...asked)
    },
    list: async (query) => {
      failAtNth()
      return world.store.list(query)
    },
  }

  for (; reads + 1 >= failing; failing += 1) {
    reads = 0
    const uniqueid = `u${failing}`
    const outcome = await send({ ...world, store }, csv([{ uniqueid }])).catch(String)
    expect(await suspenseOf(world)).toEqual([])
    if (typeof outcome === 'string') expect(outcome).toContain('The connection ended')
    else expect(outcome).toMatchObject({ stored: 1 })
  }
  expect(failing).toBeGreaterThan(5)
})

test('a call that keeps changing is neither skipped nor suspended: its document is sent again', async () => {
  const world = await anOperator()
  const { store } = world
  let attempts = 0
  const contended: Store = {
    ...store,
    transact: async (changes) => {
      if (!changes.some((change) => 'put' in change && change.put.PK === 'CALL#u1'))
        return store.transact(changes)
      attempts += 1
      throw new ConditionFailed([0], {})
    },
  }

  const failure = await send({ ...world, store: contended }, csv([{}])).catch((error: unknown) => error)
  expect(isTransient(failure)).toBe(true)
  expect(attempts).toBe(20)
  expect([await stored(world), await suspenseOf(world)]).toEqual([[], []])
  expect(await send(world, csv([{}]))).toMatchObject({ stored: 1 })
})

const ED = { ...people.find(({ username }) => username === 'bob'), id: '78', username: 'ed', tariff_id: '' }

test("a call's last ratable version is stored; a later one corrects it once it can be rated", async () => {
  const world = await anOperator()
  await world.given({ users: [ED] })
  const versions = csv([{}, { billsec: '65' }, { account_code: 'ed' }])

  expect(await send(world, versions)).toMatchObject({ stored: 1, corrected: 1, suspended: 1 })
  expect(await reasonsOf(world)).toEqual(['unknown_rate'])
  expect(await stored(world)).toMatchObject([{ billsec: 65, version: 1 }])

  await world.given({ users: [{ ...ED, tariff_id: '1' }] })
  const retried = await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(retried).toEqual({ stored: 1, suspended: 0 })
  expect(await listCallsWithId(world.store, 'u1')).toMatchObject([{ user_id: 78, billsec: 60, version: 2 }])
  expect(await send(world, versions)).toMatchObject({ duplicate: 3 })
})

test('an imported call that was rated here is corrected', async () => {
  const world = await anOperator()
  const { start: calldate, account_code: _, ...call } = CALL
  await world.given({ calls: [{ ...call, calldate, hangupcause: '16', user_id: '10', source: 'gw' }] })
  expect(await stored(world)).toEqual([FIRST_CALL])

  expect(await send(world, csv([{}]))).toMatchObject({ duplicate: 1 })
  expect(await send(world, csv([{ billsec: '70' }]))).toMatchObject({ corrected: 1 })
  expect(await send(world, csv([{ billsec: '70' }]))).toMatchObject({ duplicate: 1 })
})

test('a stored call remembers eight versions of its CDR', async () => {
  const world = await anOperator()
  for (let billsec = 61; billsec <= 68; billsec += 1) await send(world, csv([{ billsec: `${billsec}` }]))

  expect(await send(world, csv([{ billsec: '61' }]))).toMatchObject({ duplicate: 1 })
  expect(await send(world, csv([{ billsec: '69' }]))).toMatchObject({ corrected: 1 })
  expect(await send(world, csv([{ billsec: '62' }]))).toMatchObject({ duplicate: 1 })
  expect(await send(world, csv([{ billsec: '61' }]))).toMatchObject({ corrected: 1 })
})

test('duplicates need no rates: the items of tariffs are not read for them', async () => {
  const world = await anOperator()
  const read: string[] = []
  const noting: Store = {
    ...world.store,
    getMany: (keys, ...rest) => {
      read.push(...keys.map(({ PK }) => PK))
      return world.store.getMany(keys, ...rest)
    },
  }

  await send({ ...world, store: noting }, csv([{}]))
  expect(read).toContain('TARIFF#1')
  read.length = 0
  await send({ ...world, store: noting }, csv([{}]))
  expect(read).not.toContain('TARIFF#1')
})
