import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { aroundRequests } from '#test/faults/around-requests.ts'
import { anOperator, INVOICE_OF_BOB, send } from '#test/mediation/csv-switch.ts'
import { type World, withClient } from '#test/world.ts'

const CDR = {
  accountcode: 'bob',
  src: '1001',
  dst: '12025550171',
  channel: 'PJSIP/1001-00000001',
  dstchannel: 'PJSIP/potomac-00000002',
  start: '2026-03-10 10:00:00',
  duration: '70',
  billsec: '60',
  disposition: 'ANSWERED',
}

const BY_CONTENT = {}
const BY_ID = { uniqueid: '1773136800.1' }
const BY_PART = { uniqueid: '1773136800.1', sequence: '5' }

type Change = Readonly<Record<string, string>>

const json = (...cdrs: readonly Change[]) => ({
  format: 'asterisk-json' as const,
  source: 'pbx1',
  text: cdrs.map((cdr) => JSON.stringify({ ...CDR, ...cdr })).join('\n'),
})

const reasonsIn = async (world: World) => (await suspenseOf(world)).map(({ reason }) => reason)

const seconds = async (world: World) => callsIn(await world.dump()).map(({ billsec }) => billsec)

test.each([
  ['without and with loguniqueid', BY_CONTENT, BY_ID],
  ['with and without loguniqueid', BY_ID, BY_CONTENT],
  ['as Master.csv and as JSON', BY_ID, BY_PART],
  ['as JSON and as Master.csv', BY_PART, BY_ID],
  ['as JSON and without a unique id', BY_PART, BY_CONTENT],
])('a switch that is read %s bills its calls once, and the operator is told', async (_which, one, other) => {
  const together = await anOperator()
  expect(await send(together, json(one, other))).toMatchObject({ stored: 1, suspended: 1 })

  const world = await anOperator()
  await send(world, json(one))
  expect(await send(world, json(other))).toMatchObject({ stored: 0, suspended: 1 })
  expect(await reasonsIn(world)).toEqual(['possible_duplicate'])
  expect(await seconds(world)).toEqual([60])
  expect(await send(world, json(one))).toMatchObject({ duplicate: 1 })
})

test.each([
  ['another start', { start: '2026-03-10 10:00:01' }],
  ['other seconds', { billsec: '61' }],
  ['another number', { dst: '12025550172' }],
  ['another caller', { src: '1002' }],
  ['another customer', { accountcode: 'dave' }],
  ['no answer', { disposition: 'NO ANSWER', billsec: '0' }],
])('a CDR of another kind with %s is a call of its own', async (_what, change) => {
  const world = await anOperator()
  await send(world, json(BY_CONTENT))

  expect(await send(world, json({ ...BY_ID, ...change }))).toMatchObject({ stored: 1 })
})

test('equal calls with identities of one kind are two calls', async () => {
  const world = await anOperator()
  await send(world, json(BY_ID))
  await send(world, json({ uniqueid: '9', sequence: '1', dst: '12025550172' }))

  expect(await send(world, json({ uniqueid: '1773136800.2' }))).toMatchObject({ stored: 1 })
  expect(await send(world, json({ uniqueid: '1773136800.3', sequence: '1' }))).toMatchObject({ stored: 1 })
})

test('equal calls of two switches are two calls', async () => {
  const world = await anOperator()
  await send(world, json(BY_ID))

  expect(await send(world, { ...json(BY_PART), source: 'pbx2' })).toMatchObject({ stored: 1 })
})

/** The same world before its indexes have the latest writes. */
const withIndexesBehind = (world: World): World =>
  withClient(
    world,
    aroundRequests(world.table.client, async (command, sendOn) =>
      command instanceof QueryCommand && command.input.IndexName !== undefined ? { Items: [] } : sendOn(),
    ),
  )

test('equal unique ids of two switches are looked up for each of them: on an invoiced day nothing is taken back', async () => {
  const ofBoth = (change: Change) => [json(change), { ...json(change), source: 'pbx2' }]
  const world = await anOperator()
  await send(world, ...ofBoth(BY_ID))
  await world.given({ invoices: [INVOICE_OF_BOB] })

  expect(await send(withIndexesBehind(world), ...ofBoth(BY_PART))).toMatchObject({ stored: 0, suspended: 2 })
})
