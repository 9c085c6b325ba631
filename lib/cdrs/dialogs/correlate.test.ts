import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Store } from '#lib/table/store.ts'
import { suspenseOf } from '#test/dump.ts'
import {
  anOperator,
  dialogEvent,
  kamailioDocument,
  pendingEventsOf,
  send,
  stored,
  zoeAppears,
  zoesDialog,
} from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'
import type { DialogEvent } from '../formats/cdr.ts'
import { correlated } from '../formats/dialog.ts'
import { openMediation } from '../mediation.ts'
import { mediate, mediateParts, partsOf } from '../pipeline/pipeline.ts'
import { inWholeDialogs, suspendOverdue } from '../pipeline/retry.ts'
import { keyOfDialogEvent, type PendingEvent, putPendingEvents } from './dialog-event.ts'
import { dialogDigest } from './dialog-parts.ts'

const START = 1_773_122_410

const NO_CARRIER = { names: [], addresses: [], channels: [] }

const event = (
  kind: DialogEvent['kind'],
  seconds: number,
  change: Partial<DialogEvent> = {},
): DialogEvent => ({
  kind,
  callId: '83f6@203.0.113.30',
  tags: ['a', 'b'],
  at: START + seconds,
  sipStatus: 200,
  src: '2030',
  dst: '12025550164',
  party: { accountCode: '', device: '2030', sipUser: '2030', did: '12025550164', ip: '203.0.113.30' },
  provider: { out: NO_CARRIER, in: NO_CARRIER },
  ...change,
})

const invite = event('answered', 0)
const bye = event('ended', 100)

test('an INVITE and its BYE are one call, from the answer to the end', () => {
  expect(correlated([invite, bye], () => false)).toEqual({
    kind: 'cdr',
    cdr: {
      uniqueid: '83f6@203.0.113.30',
      part: 'a b',
      start: START,
      duration: 100,
      billsec: 100,
      src: '2030',
      dst: '12025550164',
      disposition: 'ANSWERED',
      hangupcause: 16,
      channel: '',
      party: invite.party,
      provider: invite.provider,
    },
  })
})

test.each<[string, DialogEvent[]]>([
  ['the BYE comes first', [bye, invite]],
  ['the called side hangs up', [invite, { ...bye, tags: ['b', 'a'], src: '12025550164', dst: '2030' }]],
  ['a later INVITE puts it on hold', [invite, event('answered', 50), bye]],
  ['the later INVITE comes first', [event('answered', 50), bye, invite]],
  ['the called side sends the later INVITE', [invite, event('answered', 50, { tags: ['b', 'a'] }), bye]],
  ['a later INVITE is refused', [event('failed', 50, { sipStatus: 488 }), invite, bye]],
  ['everything comes twice', [invite, bye, invite, bye]],
  ['both sides hang up', [invite, bye, event('ended', 101, { tags: ['b', 'a'], sipStatus: 481 })]],
])('the same call when %s', (_case, events) => {
  expect(correlated(events, () => false)).toEqual(correlated([invite, bye], () => false))
})

test('the events of a dialog are one call in any order, and also when some are repeated', () => {
  const all = [
    invite,
    bye,
    event('answered', 50),
    event('ended', 101),
    event('failed', 20, { sipStatus: 491 }),
  ]
  const delivered = fc.shuffledSubarray([...all, ...all], { minLength: 10 })

  fc.assert(
    fc.property(delivered, (events) => {
      expect(correlated(events, () => false)).toEqual(correlated([invite, bye], () => false))
    }),
  )
})

test('each answered branch of a fork is a dialog of its own', () => {
  const dialogOf = (one: DialogEvent) => dialogDigest('sip1', one)

  expect(dialogOf(invite)).not.toBe(dialogOf(event('answered', 0, { tags: ['a', 'c'] })))
  expect(dialogOf(invite)).toBe(dialogOf(event('ended', 9, { tags: ['b', 'a'] })))
})

test.each([
  [486, 'BUSY', 17],
  [487, 'NO ANSWER', 16],
  [480, 'NO ANSWER', 18],
  [408, 'NO ANSWER', 102],
  [404, 'FAILED', 1],
  [503, 'FAILED', 41],
  [699, 'FAILED', 127],
])('an INVITE refused with %i is a call of its own', (sipStatus, disposition, hangupcause) => {
  expect(correlated([event('failed', 0, { sipStatus })], () => false)).toMatchObject({
    kind: 'cdr',
    cdr: { billsec: 0, duration: 0, disposition, hangupcause },
  })
})

test('a dialog event is pending until it is overdue', () => {
  expect([correlated([invite], () => false), correlated([bye], () => false)]).toEqual([
    { kind: 'pending' },
    { kind: 'pending' },
  ])
  expect([correlated([invite], () => true), correlated([bye], () => true)]).toEqual([
    { kind: 'no_end' },
    { kind: 'no_start' },
  ])
})

test('a late BYE still ends its call', () => {
  expect(correlated([invite, event('ended', 86_400 + 100)], () => true)).toMatchObject({
    kind: 'cdr',
    cdr: { billsec: 86_500 },
  })
})

test('a BYE that crossed with the answer bills nothing', () => {
  expect(correlated([invite, event('ended', -1)], () => false)).toMatchObject({
    cdr: { billsec: 0, start: START },
  })
})

test('an answered call is billed although a refusal of its dialog was stored first', async () => {
  const world = await anOperator()
  for (const text of [
    dialogEvent('INVITE', '488', 20),
    dialogEvent('INVITE', '200', 0),
    dialogEvent('BYE', '200', 60),
  ]) {
    await send(world, { format: 'kamailio-json', text })
  }

  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 60, user_price: '0.03', version: 2 }])
  expect([await suspenseOf(world), await pendingEventsOf(world)]).toEqual([[], []])
})

test('suspended events leave suspense when a run that was cut off stores their call meanwhile', async () => {
  const world = await anOperator()
  const document = {
    format: 'kamailio-json',
    source: 'gw',
    zone: 'UTC',
    text: zoesDialog.join('\n'),
  } as const
  await send(world, document)
  expect(await suspenseOf(world)).toHaveLength(2)
  await zoeAppears(world)
  const other = await openMediation(world.store, world.now)
  /** Stores the call before this run reads the pending events, and then ends. */
  const overtaken: Store['list'] = async (query) => {
    if (query.partition.startsWith('DIALOGEVENTS#'))
      await mediateParts(other, [...partsOf(other, [document])])
    return world.store.list(query)
  }

  const mediation = await openMediation({ ...world.store, list: overtaken }, world.now)
  expect(await mediate(mediation, partsOf(mediation, [document]))).toMatchObject({
    duplicate: 2,
    suspended: 0,
  })
  expect(await stored(world, 'd1')).toHaveLength(1)
  expect(await suspenseOf(world)).toEqual([])
})

const DAY = 86_400

const overdue = async (world: World, days: number) =>
  suspendOverdue(await openMediation(world.store, new Date(world.now.getTime() + days * DAY * 1000)))

test('a refused INVITE that is reported again is a duplicate, and not pending', async () => {
  const world = await anOperator()
  const refused = kamailioDocument(dialogEvent('INVITE', '486', 0))

  expect(await send(world, refused)).toMatchObject({ stored: 1 })
  expect(await send(world, refused)).toMatchObject({ duplicate: 1 })
  expect(await pendingEventsOf(world)).toEqual([])
  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 0, version: 1 }])
})

test('the setting Intake_Join_Hours tells when a pending event is overdue', async () => {
  const world = await anOperator()
  await send(world, kamailioDocument(dialogEvent('INVITE', '200', 0)))
  await world.set({ Intake_Join_Hours: '72' })

  expect(await overdue(world, 2)).toBe(0)
  expect(await overdue(world, 4)).toBe(1)
  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'no_end',
      detail: 'the counterpart of this dialog event did not come within Intake_Join_Hours',
    },
  ])
})

test('dialogs whose Call-IDs are too long for a key are calls of their own', async () => {
  const world = await anOperator()
  const texts = ['x', 'y'].flatMap((letter) => {
    const callid = letter.repeat(200)
    return [dialogEvent('INVITE', '200', 0, { callid }), dialogEvent('BYE', '200', 60, { callid })]
  })

  expect(await send(world, kamailioDocument(...texts))).toMatchObject({ stored: 4 })
  expect(await send(world, kamailioDocument(...texts))).toMatchObject({ duplicate: 4 })
  expect((await suspenseOf(world)).length).toBe(0)
})

test.each([
  ['in a format of a later version', { format: 'of-tomorrow' }],
  ['with a text that cannot be read', { document: '{}' }],
])('a pending event %s stays pending, and delays no other', async (_case, change) => {
  const world = await anOperator()
  await send(
    world,
    kamailioDocument(dialogEvent('INVITE', '200', 0), dialogEvent('INVITE', '200', 0, { callid: 'd2' })),
  )
  const [one] = await pendingEventsOf(world)
  if (!one) throw new Error('No event is pending')
  await world.store.update(keyOfDialogEvent(one), { set: change })

  expect(await overdue(world, 2)).toBe(1)
  expect(await pendingEventsOf(world)).toMatchObject([{ ...one, ...change }])
  expect((await suspenseOf(world)).length).toBe(1)
})

test('more overdue events than a transaction holds are suspended, and none stays pending', async () => {
  const world = await anOperator()
  const texts = Array.from({ length: 60 }, (_, n) => dialogEvent('BYE', '200', n))
  expect(await send(world, kamailioDocument(...texts))).toMatchObject({ pending: 60 })

  expect(await overdue(world, 2)).toBe(60)
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual(Array(60).fill('no_start'))
  expect(await pendingEventsOf(world)).toEqual([])
})

test('pending events are read in batches that end between two dialogs', async () => {
  const eventOf = (dialog: string) => ({ dialog }) as PendingEvent
  async function* pending() {
    yield* [...'aabcccd'].map(eventOf)
  }
  const batches = await Array.fromAsync(inWholeDialogs(pending(), 2))

  expect(batches.map((batch) => batch.map(({ dialog }) => dialog).join(''))).toEqual(['aa', 'bccc', 'd'])
})

test('the events of a dialog are decided together, also behind a thousand other events', async () => {
  const world = await anOperator()
  const pendingOf = (callid: string, method: string, seconds: number): PendingEvent => {
    const text = dialogEvent(method, '200', seconds, { callid })
    const dialog = dialogDigest('gw', event('answered', 0, { callId: callid }))
    const at = Date.UTC(2026, 2, 10, 9) / 1000 + seconds
    const place = `${method === 'BYE' ? 'ended' : 'answered'}#${at}#200`
    return { format: 'kamailio-json', source: 'gw', zone: 'UTC', document: text, dialog, place, at }
  }
  const inOneShard = Array.from({ length: 10_000 }, (_, n) => pendingOf(`n${n}`, 'INVITE', 2 * DAY))
    .filter(({ dialog }) => /^.[08]/.test(dialog))
    .toSorted((a, b) => (a.dialog < b.dialog ? -1 : 1))
    .slice(0, 1000)
  const last = JSON.parse(inOneShard.at(-1)?.document ?? '').callid
  const both = [pendingOf(last, 'INVITE', 0), pendingOf(last, 'BYE', 60)]
  await putPendingEvents(world.store, [...inOneShard.slice(0, -1), ...both])

  expect(await overdue(world, 2)).toBe(0)
  expect(await stored(world, last)).toMatchObject([{ billsec: 60 }])
  expect([await suspenseOf(world), (await pendingEventsOf(world)).length]).toEqual([[], 999])
})
