import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { suspenseOf } from '#test/dump.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import {
  anOperator,
  dialogEvent,
  pendingEventsOf,
  reasonsOf,
  send,
  stored,
  zoeAppears,
} from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'
import { type World, withClient } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { enforceAgeLimits, retryEntries } from '../suspense/retry.ts'
import { suspendOverdue } from './overdue.ts'

const TWO_DAYS_MS = 2 * 86_400_000

const kamailio = (...events: readonly string[]) => ({
  format: 'kamailio-json' as const,
  text: events.join('\n'),
})

const later = (world: World) => new Date(world.now.getTime() + TWO_DAYS_MS)

const HOSTILE_TAGS: readonly [string, string][] = [
  ['301 characters', 'a'.repeat(301)],
  ['1,100 characters', 'a'.repeat(1100)],
  ['300 characters of three bytes', '\u20ac'.repeat(300)],
  ['100,000 characters', 'a'.repeat(100_000)],
  ['a control character', 'a\u0007'],
  ['half a surrogate pair', 'a\ud800'],
]

test.each(HOSTILE_TAGS)('a call whose From tag has %s is stored once', async (_case, from_tag) => {
  const world = await anOperator()
  const events = kamailio(
    dialogEvent('INVITE', '200', 0, { from_tag }),
    dialogEvent('BYE', '200', 60, { from_tag }),
  )

  expect(await send(world, events)).toMatchObject({ stored: 2, suspended: 0 })
  expect(await send(world, events)).toMatchObject({ duplicate: 2, suspended: 0 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60 }])
  expect(await damageIn(world)).toEqual([])
})

test.each(HOSTILE_TAGS)('a dialog whose From tag has %s stops no suspense', async (_case, from_tag) => {
  const world = await anOperator()
  const ofZoe = { from_tag, callid: 'hostile', accountcode: 'zoe' }
  const events = [dialogEvent('INVITE', '200', 0, ofZoe), dialogEvent('BYE', '200', 60, ofZoe)]
  await send(world, kamailio(...events), kamailio(dialogEvent('INVITE', '200', 0)))
  expect(await reasonsOf(world)).toEqual(['unknown_account', 'unknown_account'])

  await enforceAgeLimits(await openMediation(world.store, later(world)))
  expect(await reasonsOf(world)).toEqual(['unknown_account', 'unknown_account', 'no_end'])
  expect(await damageIn(world)).toEqual([])

  await zoeAppears(world)
  await retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))
  expect(await reasonsOf(world)).toEqual([])
  expect(await stored(world, 'hostile')).toHaveLength(1)
})

/** The table refuses each transaction that checks a call with this unique id. */
const refusing = (world: World, uniqueid: string): World =>
  withClient(
    world,
    aroundRequests(world.table.client, async (command, sendOn) => {
      const isCheck = command instanceof TransactWriteCommand
      if (isCheck && JSON.stringify(command.input).includes(`"PK":"CALL#${uniqueid}"`))
        throw Object.assign(new Error('refused'), { name: 'ValidationException' })
      return sendOn()
    }),
  )

test('an undecidable dialog is suspended with the reason, and its neighbours are decided', async () => {
  const world = await anOperator()
  const calls = ['d1', 'd2', 'd3', 'd4', 'd5']
  await send(world, ...calls.map((callid) => kamailio(dialogEvent('INVITE', '200', 0, { callid }))))

  const overdue = await suspendOverdue(await openMediation(refusing(world, 'd3').store, later(world)))

  const suspended = await suspenseOf(world)
  expect(overdue).toBe(5)
  expect(suspended.map(({ reason }) => reason).sort()).toEqual([
    ...calls.slice(1).map(() => 'no_end'),
    'unreadable',
  ])
  expect(suspended.find(({ reason }) => reason === 'unreadable')?.detail).toContain('refused')
  expect(await pendingEventsOf(world)).toEqual([])
})
