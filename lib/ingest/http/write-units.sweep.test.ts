import { expect, test } from 'vitest'
import { rate } from '#test/examples/tariffs.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { aWorld, type World } from '#test/world.ts'

const CUSTOMERS = 100
const RECORDS = 400

const person = (id: number, usertype: string, owner_id: number) => ({
  id: String(id),
  username: `p${id}`,
  usertype,
  owner_id: String(owner_id),
  tariff_id: '1',
  password_hash: '0'.repeat(40),
})

/** Four resellers with 25 customers each. */
const operator = {
  users: [
    person(0, 'admin', 0),
    ...Array.from({ length: 4 }, (_, n) => person(1 + n, 'reseller', 0)),
    ...Array.from({ length: CUSTOMERS }, (_, n) => person(1000 + n, 'user', 1 + (n % 4))),
  ],
  tariffs: [{ id: '1', name: 'Everywhere', owner_id: '0' }],
  rates: [rate({ prefix: '1' })],
  providers: [{ id: '1', name: 'Potomac', tariff_id: '1', names: 'potomac' }],
}

const START = Date.UTC(2026, 2, 10, 8) / 1000

const cdr = (n: number) => ({
  src: '12025550141',
  dst: '12025550185',
  channel: `PJSIP/trunk-${n}`,
  dstchannel: `PJSIP/potomac-${n}`,
  start: '2026-03-10 08:16:00',
  answer: '2026-03-10 08:16:06',
  end: '2026-03-10 08:26:16',
  duration: 616,
  billsec: 610,
  disposition: 'ANSWERED',
  accountcode: `p${1000 + (n % CUSTOMERS)}`,
  uniqueid: `1773216960.${n}`,
  sequence: n,
})

const acc = (n: number, method: string, time: number) => ({
  time,
  method,
  from_tag: '063dc3e2',
  to_tag: '51c42032',
  callid: `83f63f1b-bc20-440a-${n}@203.0.113.30`,
  sip_code: '200',
  sip_reason: 'OK',
  src_user: '12025550141',
  dst_user: '12025550164',
  accountcode: `p${1000 + (n % CUSTOMERS)}`,
})

const linesOf = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')

const each = <T>(of: (n: number) => T): T[] => Array.from({ length: RECORDS }, (_, n) => of(n))

/** The write units per call that the consumer used for a document. */
async function unitsFor(world: World, format: string, body: string): Promise<number> {
  const authorization = await anIntake(world, format)
  const { statusCode } = await post(world, format, { body, headers: { authorization } })
  const consumed = world.log.filter(({ function: name }) => name === 'ingest_calls').at(-1)
  expect([statusCode, consumed?.['failed'], consumed?.['suspended']]).toEqual([200, 0, undefined])
  return Number(consumed?.['write_units']) / RECORDS
}

test('a CDR costs at most 4.8 write units in a batch, and a correlated one 4 more', async () => {
  const world = await aWorld(operator)

  expect(await unitsFor(world, 'asterisk-json', linesOf(each(cdr)))).toBeLessThanOrEqual(4.8)
  const ends = each((n) => [acc(n, 'INVITE', START + n), acc(n, 'BYE', START + n + 60)]).flat()
  expect(await unitsFor(world, 'kamailio-json', linesOf(ends))).toBeLessThanOrEqual(8.8)
})
