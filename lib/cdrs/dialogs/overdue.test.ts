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
} from '#test/mediation/csv-switch.ts'
import { SHARE } from '#test/sweep.ts'
import { type World, withClient } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { retryEntries } from '../suspense/retry.ts'
import { suspendOverdue } from './overdue.ts'

const TWO_DAYS = 2 * 86_400

const document = (method: string, seconds: number) =>
  ({ format: 'kamailio-json', text: dialogEvent(method, '200', seconds) }) as const

const bye = (world: World) => send(world, document('BYE', TWO_DAYS))

const overdue = async (world: World) => suspendOverdue(await openMediation(world.store, world.now))

const retry = async (world: World) =>
  retryEntries(await openMediation(world.store, world.now), await suspenseOf(world))

/** An INVITE without its BYE, two days later. */
async function withOverdueInvite(): Promise<World> {
  const world = await anOperator()
  await world.set({ Max_Call_Hours: '72' })
  await send(world, document('INVITE', 0))
  return Object.assign(world, { now: new Date(world.now.getTime() + TWO_DAYS * 1000) })
}

async function withSuspendedInvite(): Promise<World> {
  const world = await withOverdueInvite()
  await overdue(world)
  await bye(world)
  expect(await reasonsOf(world)).toEqual(['no_end'])
  return world
}

type Act = (world: World) => Promise<unknown>

/**
 * Does one thing before the nth request of another, otherwise after it. The other one ends there if it is
 * killed. Returns whether there was an nth.
 */
async function interrupt(
  world: World,
  [act, other]: readonly [Act, Act],
  nth: number,
  isKilled: boolean,
): Promise<boolean> {
  let requests = 0
  const client = aroundRequests(world.table.client, async (_command, sendOn) => {
    requests += 1
    if (isKilled && requests >= nth) throw new Error('killed')
    if (requests === nth) await other(world)
    return sendOn()
  })
  await act(withClient(world, client)).catch((error: Error) => expect(error.message).toBe('killed'))
  if (isKilled || requests < nth) await other(world)
  return requests >= nth
}

const INTERRUPTIONS: readonly [string, () => Promise<World>, Act, Act, boolean][] = [
  ['a BYE comes while its INVITE is suspended', withOverdueInvite, overdue, bye, false],
  ['a BYE comes after that was cut off', withOverdueInvite, overdue, bye, true],
  ['an INVITE is suspended while its BYE comes', withOverdueInvite, bye, overdue, false],
  ['overdue events are looked for after a retry was cut off', withSuspendedInvite, retry, overdue, true],
  ['overdue events are looked for during a retry', withSuspendedInvite, retry, overdue, false],
]

/** A share of the requests are interrupted, and all of them at night. */
test.each(INTERRUPTIONS)(
  'no event of a stored call is suspended or pending if %s',
  async (name, begin, act, other, isKilled) => {
    const calls: number[] = []
    for (let nth = 1 + (name.length % SHARE); ; nth += SHARE) {
      const world = await begin()
      const isOver = !(await interrupt(world, [act, other], nth, isKilled))
      const { length } = await stored(world, 'd1')
      calls.push(length)
      const left = {
        suspended: await reasonsOf(world),
        pending: (await pendingEventsOf(world)).map(({ place }) => place),
      }
      expect({ nth, ...left }).toEqual(
        length > 0
          ? { nth, suspended: [], pending: [] }
          : { nth, suspended: ['no_end'], pending: [expect.any(String)] },
      )
      if (isOver) break
    }
    expect(calls).toContain(1)
  },
)

test('events older than Intake_Join_Hours make a call, and are overdue by their arrival', async () => {
  const world = await anOperator()
  world.now = new Date(world.now.getTime() + TWO_DAYS * 1000)

  expect(await send(world, document('INVITE', 0))).toMatchObject({ pending: 1 })
  expect(await overdue(world)).toBe(0)
  expect(await send(world, document('BYE', 60))).toMatchObject({ stored: 1 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60 }])

  await send(world, { format: 'kamailio-json', text: dialogEvent('INVITE', '200', 0, { callid: 'd2' }) })
  world.now = new Date(world.now.getTime() + TWO_DAYS * 1000)
  expect(await overdue(world)).toBe(1)
})
