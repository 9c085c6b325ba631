import { expect, test } from 'vitest'
import { ConditionFailed } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import {
  anOperator,
  dialogEvent,
  kamailioDocument,
  pendingEventsOf,
  reasonsOf,
  send,
  stored,
  zoesDialog,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import { openMediation } from '../mediation.ts'
import { suspendOverdue } from '../pipeline/retry.ts'
import { type PendingEvent, putPendingEvents } from './dialog-event.ts'

const TWO_DAYS_MS = 2 * 86_400_000

const INVITE = dialogEvent('INVITE', '200', 0)
const BYE = dialogEvent('BYE', '200', 60)

/** The pending events that these make, each of them alone. */
async function pendingEachAlone(...texts: readonly string[]): Promise<PendingEvent[]> {
  const events: PendingEvent[] = []
  for (const text of texts) {
    const world = await anOperator()
    await send(world, kamailioDocument(text))
    events.push(...(await pendingEventsOf(world)))
  }
  return events
}

/** A stored call, and events of its dialog that a run left pending when it was cut off. */
async function withLeftEvents(...left: readonly string[]): Promise<World> {
  const world = await anOperator()
  await send(world, kamailioDocument(INVITE, BYE))
  await putPendingEvents(world.store, await pendingEachAlone(...left))
  return world
}

test('an overdue event left pending beside its stored call is removed, not suspended', async () => {
  const world = await withLeftEvents(INVITE)
  const later = new Date(world.now.getTime() + TWO_DAYS_MS)

  expect(await suspendOverdue(await openMediation(world.store, later))).toBe(0)
  expect([await pendingEventsOf(world), await suspenseOf(world)]).toEqual([[], []])
})

test.each([
  ['the INVITE', [INVITE]],
  ['both events, and the BYE of the other side', [INVITE, BYE, dialogEvent('BYE', '200', 50)]],
])(
  '%s left pending beside the stored call: the next event of the dialog removes them',
  async (_case, left) => {
    const world = await withLeftEvents(...left)

    expect(await send(world, kamailioDocument(BYE))).toMatchObject({ duplicate: 1 })
    expect([await pendingEventsOf(world), await suspenseOf(world)]).toEqual([[], []])
    expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, version: 1 }])
  },
)

test('an answered call is billed if the stored refusal of its dialog comes again with it', async () => {
  const world = await anOperator()
  const refused = dialogEvent('INVITE', '488', 20)
  await send(world, kamailioDocument(refused))

  expect(await send(world, kamailioDocument(refused, INVITE, BYE))).toMatchObject({ corrected: 3 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, version: 2 }])
  expect([await reasonsOf(world), await pendingEventsOf(world)]).toEqual([[], []])
})

test('events that another run decides meanwhile are counted as suspended, and stay', async () => {
  const world = await anOperator()
  const overtaken: Store = {
    ...world.store,
    transact: async () => {
      throw new ConditionFailed([0], {})
    },
  }

  expect(await send({ ...world, store: overtaken }, kamailioDocument(...zoesDialog))).toEqual({
    stored: 0,
    duplicate: 0,
    corrected: 0,
    pending: 0,
    suspended: 2,
    skipped: 0,
  })
  expect(await suspenseOf(world)).toEqual([])
  expect(await pendingEventsOf(world)).toHaveLength(2)
})

test('a failure of the table while events are suspended is not taken for another run', async () => {
  const world = await anOperator()
  const failing: Store = {
    ...world.store,
    transact: async () => {
      throw Object.assign(new Error('throttled'), { code: 'ECONNRESET' })
    },
  }

  await expect(send({ ...world, store: failing }, kamailioDocument(...zoesDialog))).rejects.toThrow(
    'throttled',
  )
  expect(await pendingEventsOf(world)).toHaveLength(2)
})

test("an answer corrects its dialog's stored refusal with the same start and numbers", async () => {
  const world = await anOperator()
  await send(world, kamailioDocument(dialogEvent('INVITE', '488', 0)))

  expect(await send(world, kamailioDocument(INVITE, BYE))).toMatchObject({ corrected: 2 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, version: 2 }])
  expect([await pendingEventsOf(world), await suspenseOf(world)]).toEqual([[], []])
})

const REFUSED = dialogEvent('INVITE', '488', 20)

test('a BYE with a refusal is pending, and ends the call of an INVITE answered later', async () => {
  const world = await anOperator()

  expect(await send(world, kamailioDocument(REFUSED, BYE))).toMatchObject({ stored: 2 })
  expect(await pendingEventsOf(world)).toMatchObject([{ document: BYE }])
  await send(world, kamailioDocument(REFUSED))
  expect(await send(world, kamailioDocument(INVITE))).toMatchObject({ corrected: 1 })
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, version: 2 }])
  expect([await reasonsOf(world), await pendingEventsOf(world)]).toEqual([[], []])
})

test.each([
  ['with', [kamailioDocument(REFUSED, BYE)]],
  ['after', [kamailioDocument(REFUSED), kamailioDocument(BYE)]],
  ['before', [kamailioDocument(BYE), kamailioDocument(REFUSED)]],
])(
  'a BYE %s the refusal of its dialog is removed, and not suspended, when it is overdue',
  async (_when, sent) => {
    const world = await anOperator()
    for (const document of sent) await send(world, document)
    expect(await pendingEventsOf(world)).toHaveLength(1)
    const later = new Date(world.now.getTime() + TWO_DAYS_MS)

    expect(await suspendOverdue(await openMediation(world.store, later))).toBe(0)
    expect([await pendingEventsOf(world), await suspenseOf(world)]).toEqual([[], []])
    expect(await stored(world, 'd1')).toMatchObject([{ billsec: 0, version: 1 }])
  },
)

test('another refusal of a dialog whose refusal is stored is a duplicate', async () => {
  const world = await anOperator()
  await send(world, kamailioDocument(dialogEvent('INVITE', '488', 0)))

  expect(await send(world, kamailioDocument(dialogEvent('INVITE', '487', 5)))).toMatchObject({ duplicate: 1 })
  expect([await pendingEventsOf(world), await suspenseOf(world)]).toEqual([[], []])
})

test("an answered INVITE beside its dialog's stored refusal is suspended without a BYE", async () => {
  const world = await anOperator()
  for (const text of [REFUSED, INVITE]) await send(world, kamailioDocument(text))
  const later = new Date(world.now.getTime() + TWO_DAYS_MS)

  expect(await suspendOverdue(await openMediation(world.store, later))).toBe(1)
  expect([await reasonsOf(world), await pendingEventsOf(world)]).toEqual([['no_end'], []])
})

test('an overdue INVITE is not suspended if its BYE answers the stored refusal meanwhile', async () => {
  const world = await anOperator()
  for (const text of [REFUSED, INVITE]) await send(world, kamailioDocument(text))
  const later = new Date(world.now.getTime() + TWO_DAYS_MS)
  let isAnswered = false
  const overtaken: Store = {
    ...world.store,
    transact: async (changes) => {
      if (!isAnswered) {
        isAnswered = true
        await send(world, kamailioDocument(BYE))
      }
      return world.store.transact(changes)
    },
  }

  expect(await suspendOverdue(await openMediation(overtaken, later))).toBe(0)
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, version: 2 }])
  expect([await reasonsOf(world), await pendingEventsOf(world)]).toEqual([[], []])
})

test('overdue events whose call cannot be stored are suspended, and delay no other dialog', async () => {
  const world = await anOperator()
  await putPendingEvents(world.store, await pendingEachAlone(INVITE, BYE))
  await send(world, kamailioDocument(dialogEvent('BYE', '200', 60, { callid: 'd2' })))
  const odd: Store = {
    ...world.store,
    transact: async (changes) => {
      if (JSON.stringify(changes).includes('"CALL#d1"')) throw new Error('It is odd')
      return world.store.transact(changes)
    },
  }
  const later = new Date(world.now.getTime() + TWO_DAYS_MS)

  expect(await suspendOverdue(await openMediation(odd, later))).toBe(3)
  expect((await reasonsOf(world)).sort()).toEqual(['no_start', 'unreadable', 'unreadable'])
  expect(await pendingEventsOf(world)).toEqual([])
})

test('an event is overdue when it has been pending for more than Intake_Join_Hours', async () => {
  const world = await anOperator()
  await send(world, kamailioDocument(INVITE))
  const overdueAfter = async (ms: number) =>
    suspendOverdue(await openMediation(world.store, new Date(world.now.getTime() + ms)))

  expect(await overdueAfter(TWO_DAYS_MS / 2)).toBe(0)
  expect(await overdueAfter(TWO_DAYS_MS / 2 + 1000)).toBe(1)
})
