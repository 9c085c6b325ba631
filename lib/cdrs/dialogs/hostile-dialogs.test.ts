import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, test } from 'vitest'
import { hexDigest } from '#lib/base/digest.ts'
import type { Key } from '#lib/table/keys.ts'
import { heldMoney } from '#test/control/money.ts'
import { aControlledWorld, aSwitch, prepaidBob, UK } from '#test/control/switch.ts'
import { suspenseOf } from '#test/dump.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import {
  anOperator,
  dialogEvent,
  kamailioDocument,
  pendingEventsOf,
  reasonsOf,
  send,
  stored,
  zoeAppears,
} from '#test/mediation/csv-switch.ts'
import { post } from '#test/mediation/intake.ts'
import { damageIn } from '#test/soundness.ts'
import { pass, type World, withClient } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { enforceAgeLimits, retryEntries, suspendOverdue } from '../pipeline/retry.ts'

const TWO_DAYS_MS = 2 * 86_400_000

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
  const events = kamailioDocument(
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
  await send(world, kamailioDocument(...events), kamailioDocument(dialogEvent('INVITE', '200', 0)))
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
  await send(world, ...calls.map((callid) => kamailioDocument(dialogEvent('INVITE', '200', 0, { callid }))))

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

const LONG_CALL_ID = 'c'.repeat(151)

test('the hold of a call is released by its dialog events, however long its Call-ID is', async () => {
  const world = await aControlledWorld(prepaidBob('2'))
  const { authorize, authorization } = await aSwitch(world)
  await authorize({ call: LONG_CALL_ID })
  expect(await heldMoney(world)).toMatchObject({ open: 1 })

  const time = Math.floor(world.now.getTime() / 1000)
  const change = { callid: LONG_CALL_ID, dst_user: UK }
  const events = [
    dialogEvent('INVITE', '200', 0, { ...change, time: String(time) }),
    dialogEvent('BYE', '200', 60, { ...change, time: String(time + 60) }),
  ]
  pass(world, 60)
  await post(world, 'kamailio-json', { body: events.join('\n'), headers: { authorization } })
  expect(await heldMoney(world)).toEqual({ held: '0', open: 0, balance: '1.8' })
})

test('a call with a long Call-ID that an earlier release stored is not stored again', async () => {
  const world = await anOperator()
  const change = { callid: LONG_CALL_ID }
  const events = kamailioDocument(
    dialogEvent('INVITE', '200', 0, change),
    dialogEvent('BYE', '200', 60, change),
  )
  expect(await send(world, events)).toMatchObject({ stored: 2 })
  const items = await world.dump()
  const item = items.find(({ PK }) => String(PK).startsWith('CALL#made-'))
  const earlier = `made-${hexDigest(`gw\0${hexDigest(`gw\0${LONG_CALL_ID} a b`).slice(0, 40)}`).slice(0, 32)}`
  await world.store.putBatch([{ ...item, PK: `CALL#${earlier}` } as typeof item & Key])
  await world.store.removeBatch([{ PK: String(item?.PK), SK: String(item?.SK) }])

  expect(await send(world, events)).toMatchObject({ duplicate: 2, stored: 0 })
})
