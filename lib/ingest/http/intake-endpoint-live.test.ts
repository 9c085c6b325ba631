import { expect, test } from 'vitest'
import { activeCallsOf, suspenseOf } from '#test/dump.ts'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { aWorldWithIntake, post } from '#test/mediation/intake.ts'
import { liveEvent } from '#test/mediation/switch-documents.ts'

const START = 1_773_143_900

test('events of a call add it to the calls in progress, and remove it', async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const send = (...events: object[]) =>
    post(world, 'live', {
      body: events.map((one) => JSON.stringify(one)).join('\n'),
      headers: { authorization },
    })

  await send(liveEvent('ANSWER', START + 9), liveEvent('CREATE', START))
  expect(await activeCallsOf(world)).toMatchObject([
    {
      user_id: 10,
      device_id: 100,
      src: '37000001',
      localized_dst: '442079460000',
      start_time: START,
      answer_time: START + 9,
    },
  ])
  await send(liveEvent('HANGUP_COMPLETE', START + 30))
  expect(await activeCallsOf(world)).toEqual([])
})

test("admin sees an unknown account's call; an event of the future or a long name is suspended", async () => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)
  const send = (one: object) => post(world, 'live', { body: JSON.stringify(one), headers: { authorization } })

  await send(liveEvent('CREATE', START, { variable_sip_auth_username: 'eve' }))
  await send(liveEvent('CREATE', START + 4000, { 'Unique-ID': 'later' }))
  await send(liveEvent('CREATE', START, { 'Unique-ID': 'long', 'Channel-Name': 'x'.repeat(5000) }))

  expect((await activeCallsOf(world)).map(({ user_id }) => user_id)).toEqual([undefined])
  expect((await suspenseOf(world)).map(({ reason }) => reason).sort()).toEqual([
    'impossible_time',
    'unreadable',
  ])
})
