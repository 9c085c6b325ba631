import { expect, test } from 'vitest'
import { anOperator, send, stored } from '#lib/testing/csv-switch.ts'
import { suspenseOf } from '#lib/testing/dump.ts'

const START = Date.UTC(2026, 2, 10, 9) / 1000

const event = (method: string, sip_code: string, seconds: number): string =>
  JSON.stringify({
    ...{ time: START + seconds, method, callid: 'd1', from_tag: 'a', to_tag: 'b', sip_code, sip_reason: 'x' },
    ...{ src_user: '37060000001', dst_user: '12025550171', accountcode: 'bob' },
  })

test('an answered call is suspended, not dropped, when a refusal of its dialog was stored first', async () => {
  const world = await anOperator()
  for (const text of [event('INVITE', '488', 20), event('INVITE', '200', 0), event('BYE', '200', 60)]) {
    await send(world, { format: 'kamailio-json', text })
  }

  expect(await stored(world, 'd1')).toMatchObject([{ billsec: 0 }])
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual(['id_used', 'id_used'])
})
