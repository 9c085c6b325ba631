import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { ABROAD, loopbackLegs } from '#test/mediation/loopback-legs.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld } from '#test/world.ts'

const record = (columns: Readonly<Record<string, string>>) => ({
  type: 'switch_record',
  source: 'sip1',
  format: 'kamailio-json',
  document: 'not JSON',
  ...columns,
})

const answered = JSON.stringify({
  method: 'INVITE',
  from_tag: 'a',
  to_tag: 'b',
  callid: 'dialog-1',
  sip_code: '200',
  sip_reason: 'OK',
  time: '1773136800',
  src_user: '2030',
  dst_user: '442079460000',
})

test('a CDR document is pending or suspended, and its message is deleted', async () => {
  const world = await aWorld({ users: people })

  const { batchItemFailures } = await consume(world, record({}), record({ document: answered }))

  expect(batchItemFailures).toEqual([])
  expect(world.log.at(-1)).toMatchObject({ messages: 2, suspended: 1 })
  const kinds = (await world.dump()).map(({ PK }) => String(PK).replace(/#.*/, ''))
  expect(kinds).toEqual(expect.arrayContaining(['DIALOGEVENTS', 'SUSPENSE']))
})

test('the call of a Local channel is noted for the channel that called it', async () => {
  const world = await aWorld({ users: people })
  const call = {
    accountcode: 'bob',
    dst: '442079460000',
    start: 1_773_136_800,
    duration: 70,
    disposition: 'ANSWERED',
  }
  const linked = { ...call, uniqueid: '1773136800.3', linkedid: '1773136800.1', billsec: 0 }

  await consume(world, record({ format: 'asterisk-json', document: JSON.stringify(linked) }))

  expect((await world.dump()).map(({ PK }) => PK)).toContain('LINKED#sip1')
})

test('the legs of a loopback are noted under the calls that they join', async () => {
  const world = await aWorld({ users: people })
  const document = loopbackLegs({ dialled: ABROAD, bowout: 'bridge' })
    .map((leg) => JSON.stringify(leg))
    .join('\n')

  await consume(world, record({ format: 'freeswitch-json', document }))

  expect((await world.dump()).map(({ PK }) => PK)).toContain('LOOPBACK#sip1#d')
})

test.each([
  [{ format: 'morse' }, 'format: is not a format'],
  [{ source: 'two words' }, 'source: is not the name of a switch'],
  [{ columns: 'a,b' }, 'columns: Invalid JSON'],
])('a message without format or source is refused: %o', async (columns, reason) => {
  const world = await aWorld({ users: people })

  await consume(world, record(columns))

  expect(String(world.log[0]?.['reason'])).toContain(reason)
})
