import { expect, test } from 'vitest'
import { listCallsWithId } from '#lib/calls/call.ts'
import { anOperator, csv, dialogEvent, reasonsOf, send, stored } from '#test/mediation/csv-switch.ts'
import { damageIn } from '#test/soundness.ts'

const ATTEMPT = {
  accountcode: 'bob',
  src: '37060000001',
  dst: '12025550171',
  channel: 'PJSIP/bobs-phone-00000001',
  dstchannel: 'PJSIP/potomac-00000002',
  start: '2026-03-10 09:00:00',
  end: '2026-03-10 09:01:10',
  duration: '70',
  billsec: '60',
  disposition: 'ANSWERED',
  uniqueid: 'u1',
}

const UNANSWERED = { dstchannel: 'PJSIP/thames-00000003', billsec: '0', disposition: 'NO ANSWER' }

/** CDRs of Asterisk without `sequence`, as the manager's event and cdr_beanstalkd give them. */
const asterisk = (...attempts: readonly object[]) => ({
  format: 'asterisk-json' as const,
  text: attempts.map((one) => JSON.stringify({ ...ATTEMPT, ...one })).join('\n'),
})

/** Each dial attempt of a channel is a CDR (docs.asterisk.org, CDR Specification). */
test.each([
  ['the answered one first', [{}, UNANSWERED]],
  ['the answered one last', [UNANSWERED, {}]],
])('a parallel Dial is one call of 60 seconds: %s, in one document or in two', async (_case, attempts) => {
  const [together, apart] = [await anOperator(), await anOperator()]
  await send(together, asterisk(...attempts))
  for (const attempt of attempts) await send(apart, asterisk(attempt))

  for (const world of [together, apart]) {
    expect(await stored(world)).toMatchObject([{ billsec: 60, user_price: '0.03' }])
    expect(await reasonsOf(world)).toEqual([])
    expect(await damageIn(world)).toEqual([])
    const again = await send(world, asterisk(...attempts))
    expect(again.duplicate + again.skipped).toBe(2)
  }
})

test('the calls of a transferred channel are two in any order, and their CDRs duplicates later', async () => {
  const transferred = { start: '2026-03-10 09:01:10', dst: '12025550172', billsec: '30', duration: '30' }
  for (const calls of [
    [{}, transferred],
    [transferred, {}],
  ]) {
    const world = await anOperator()
    for (const call of calls) expect(await send(world, asterisk(call))).toMatchObject({ stored: 1 })

    const seconds = (await stored(world)).map(({ dst, billsec }) => [dst, billsec])
    expect(seconds.sort()).toEqual([
      ['12025550171', 60],
      ['12025550172', 30],
    ])
    expect(await send(world, asterisk(...calls))).toMatchObject({ duplicate: 2 })
    expect(await send(world, asterisk({ ...transferred, billsec: '29' }))).toMatchObject({ corrected: 1 })
    expect(await damageIn(world)).toEqual([])
  }
})

test('a CDR with a sequence is one call: another one with its ids is suspended', async () => {
  const world = await anOperator()
  const numbered = { sequence: '5', start: '2026-03-10 09:00:00' }
  await send(world, asterisk(numbered))

  expect(await send(world, asterisk({ ...numbered, dst: '12025550172' }))).toMatchObject({ suspended: 1 })
  expect(await reasonsOf(world)).toEqual(['id_used'])
})

test('any other switch that takes back an answer is not believed without a word', async () => {
  const world = await anOperator()
  await send(world, csv([{}]))

  const refusal = csv([{ billsec: '0', disposition: 'NO ANSWER' }])
  expect(await send(world, refusal)).toMatchObject({ corrected: 0, suspended: 1 })
  expect(await reasonsOf(world)).toEqual(['already_answered'])
  expect(await stored(world)).toMatchObject([{ billsec: 60, version: 1 }])
})

test.each([
  ['the refusal first', [0, 1]],
  ['the answer first', [1, 0]],
])('a dialog that is refused and answered is one answered call: %s', async (_case, order) => {
  const world = await anOperator()
  const documents = [
    dialogEvent('INVITE', '486', 0),
    [dialogEvent('INVITE', '200', 5), dialogEvent('BYE', '200', 65)].join('\n'),
  ]
  for (const index of order) await send(world, { format: 'kamailio-json', text: documents[index] ?? '' })

  expect(await listCallsWithId(world.store, 'd1')).toMatchObject([
    { disposition: 'ANSWERED', billsec: 60, user_price: '0.03' },
  ])
  expect(await reasonsOf(world)).toEqual([])
  expect(await damageIn(world)).toEqual([])
})
