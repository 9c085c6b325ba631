import { expect, test } from 'vitest'
import { bobsOperator } from '#test/examples/tariffs.ts'
import { aWorldWithIntake, post } from '#test/mediation/intake.ts'

// A caller chooses its Call-ID. Two that differ are two calls, however they are written.

const bytes = (...parts: readonly (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))))

const csvOf = (ids: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('uniqueid,start,src,dst,duration,billsec,sip_user\n'),
    ...ids.map((id) => bytes('"', ...id, '",1773140000,37000001,442079460000,60,60,bobs-phone\n')),
  ])

const jsonOf = (ids: readonly string[]): Buffer =>
  Buffer.from(
    ids
      .flatMap((id) => [event(id, 'INVITE', 1773140000), event(id, 'BYE', 1773140060)])
      .map((one) => `${one}\n`)
      .join(''),
  )

const event = (id: string, method: string, time: number): string =>
  `{"method":"${method}","from_tag":"a","to_tag":"b","callid":"${id}","sip_code":"200","sip_reason":"OK",` +
  `"time":${time},"src_user":"bobs-phone","dst_user":"442079460000"}`

test.each([
  ['bytes that are not UTF-8', 'csv', csvOf([bytes('ž', 0xff), bytes('ž', 0xfe), bytes('ž\ufffd')])],
  ['blanks of Unicode', 'csv', csvOf([bytes('a'), bytes('a\u00a0'), bytes('a\u2003'), bytes('\u2003a')])],
  ['blanks of Unicode alone', 'csv', csvOf([bytes('\u00a0'), bytes('\u2003')])],
  ['lone surrogates in JSON', 'kamailio-json', jsonOf(['x\\ud800', 'x\\ud801', 'x\\ufffd'])],
  ['blanks in JSON', 'kamailio-json', jsonOf(['x', 'x ', 'x\u2003'])],
])('ids that differ in %s are calls of their own', async (_case, format, body) => {
  const { world, authorization } = await aWorldWithIntake(bobsOperator)

  await post(world, format, { body, headers: { authorization } })
  await post(world, format, { body, headers: { authorization } })

  const calls = (await world.dump()).filter(({ PK }) => String(PK).startsWith('CALL#'))
  const count = format === 'csv' ? body.toString('latin1').split('\n').length - 2 : 3
  expect(calls).toHaveLength(count)
})
