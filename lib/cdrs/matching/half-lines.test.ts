import { expect, test } from 'vitest'
import { callsIn } from '#test/dump.ts'
import { anOperator, INVOICE_OF_BOB, send } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import type { World } from '#test/world.ts'

const FIRST = '1773136800,bob,12025550171,60'

const HEADS = {
  'with ids, cut in the seconds': ['uniqueid,start,account_code,dst,billsec', 'h-2,', ',12025550172,6', '1'],
  'with ids, cut in the number': ['uniqueid,start,account_code,billsec,dst', 'h-2,', ',61,1202', '5550172'],
  'without ids, cut in the seconds': ['start,account_code,dst,billsec', '', ',12025550172,6', '1'],
  'without ids, cut in the number': ['start,account_code,billsec,dst', '', ',61,1202', '5550172'],
} as const

function documentsOf(name: keyof typeof HEADS) {
  const [header, id, half, rest] = HEADS[name]
  const first = id === '' ? '' : 'h-1,'
  const firstRow = header.endsWith('dst') ? `${first}1773136800,bob,60,12025550171` : first + FIRST
  const begin = `${header}\n${firstRow}\n${id}1773136860,bob${half}`
  return { begin, whole: `${begin}${rest}\n` }
}

const told = async (world: World) =>
  callsIn(await world.dump())
    .map(({ dst, billsec }) => `${dst} ${billsec}`)
    .sort()

const ONCE = ['12025550171 60', '12025550172 61']

test.each(Object.keys(HEADS) as (keyof typeof HEADS)[])(
  '%s: the whole line corrects its half',
  async (name) => {
    const world = await anOperator()
    const { begin, whole } = documentsOf(name)
    const document = (text: string) => ({ format: 'csv' as const, source: 'gw1', text })

    expect(await send(world, document(begin))).toMatchObject({ stored: 2 })
    expect(await send(world, document(whole))).toMatchObject({ stored: 0, duplicate: 1, corrected: 1 })
    expect(await told(world)).toEqual(ONCE)
    for (const text of [whole, begin, whole])
      expect(await send(world, document(text))).toMatchObject({ stored: 0, duplicate: 2, corrected: 0 })
    expect(await told(world)).toEqual(ONCE)
  },
)

test('the same over HTTP, for Master.csv without unique ids', async () => {
  const world = await anOperator()
  const headers = { authorization: await anIntake(world, 'pbx1') }
  const row = (start: string, rest: string) =>
    `bob,1001,12025550171,ctx,x,PJSIP/1001-1,PJSIP/potomac-2,Dial,"",${start},${start},2026-03-10 10:01:10,70,60,${rest}`
  const begin = `${row('2026-03-10 10:00:00', 'ANSWERED,DOCUMENTATION')}\n${row('2026-03-10 10:00:10', 'ANSWERED,DOCU')}`

  await post(world, 'asterisk-csv', { body: begin, headers })
  await post(world, 'asterisk-csv', { body: `${begin}MENTATION\n`, headers })
  expect(await told(world)).toEqual(['12025550171 60', '12025550171 60'])
})

test('a line with an end, or one that another line does not begin, is a call of its own', async () => {
  const world = await anOperator()
  const header = 'start,account_code,billsec,dst\n'
  const csv = (rows: string) => send(world, { format: 'csv', source: 'gw1', text: header + rows })

  await csv('1773136800,bob,60,12025550171\n1773136860,bob,61,1202555017\n')
  expect(await csv('1773136860,bob,61,12025550172\n')).toMatchObject({ stored: 1 })
  await csv('1773136920,bob,60,12025550171\n1773136980,bob,61,1202555017')
  expect(await csv('1773136980,bob,61,12125550172\n')).toMatchObject({ stored: 1 })
  expect(await csv('1773136981,bob,61,12025550172\n')).toMatchObject({ stored: 1 })
})

test('a switch that sends one CDR at a time sends whole ones, and nothing is remembered', async () => {
  const world = await anOperator()

  await send(world, { format: 'csv', source: 'gw1', text: `start,account_code,dst,billsec\n${FIRST}` })
  expect((await world.dump()).filter(({ PK }) => String(PK).startsWith('HALFLINE'))).toEqual([])
})

test('the whole line of a half that is on an invoice is suspended', async () => {
  const world = await anOperator()
  const { begin, whole } = documentsOf('without ids, cut in the seconds')
  const document = (text: string) => ({ format: 'csv' as const, source: 'gw1', text })

  await send(world, document(begin))
  await world.given({ invoices: [INVOICE_OF_BOB] })
  expect(await send(world, document(whole))).toMatchObject({ stored: 0, suspended: 1 })
  expect(await told(world)).toEqual(['12025550171 60', '12025550172 6'])
})

test('with a unique id, another last cell is that of the same call', async () => {
  const world = await anOperator()
  const text = (dst: string) =>
    `uniqueid,start,account_code,billsec,dst\nh-1,1773136800,bob,60,12025550171\nh-2,1773136860,bob,61,${dst}`

  await send(world, { format: 'csv', source: 'gw1', text: text('1299') })
  const whole = { format: 'csv' as const, source: 'gw1', text: `${text('12025550172')}\n` }
  expect(await send(world, whole)).toMatchObject({ stored: 0, duplicate: 1, corrected: 1 })
  expect(await told(world)).toEqual(ONCE)
})
