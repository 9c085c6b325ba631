import { expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { anOperator, send } from '#test/mediation/csv-switch.ts'
import { asteriskCdr, demoDocument } from '#test/mediation/switch-documents.ts'
import { type CdrDocument, FORMAT_NAMES } from './formats/formats.ts'

// The number that the carrier was shown, as each format writes it (docs/origins.md).

const [demoLeg = ''] = demoDocument('freeswitch.ndjson').split('\n')
const demoXml = demoDocument('freeswitch-xml/a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d.cdr.xml')

/** Rows of a header and cells, without the last column if nothing was shown. */
const table = (rows: readonly string[][], shown: string | undefined): string =>
  rows.map((row) => (shown === undefined ? row.slice(0, -1) : row).join(',')).join('\n')

const dialog = { from_tag: 'a', to_tag: 'b', callid: 'c1', sip_code: '200', sip_reason: 'OK' }
const sides = {
  src_user: '12025550130',
  dst_user: '12025550171',
  dst_ouser: '12025550171',
  accountcode: 'bob',
}
const opensipsCall = {
  ...dialog,
  ...sides,
  method: 'INVITE',
  time: 1773129611,
  created: 1773129600,
  duration: 60,
}
const accFields = (shown: string | undefined) => (shown === undefined ? {} : { carrier_src: shown })

const mapping = { carrier_src: 'Presented' }

const asteriskCall = {
  ...asteriskCdr,
  ...{ clid: 'Bob', src: '12025550130', dst: '12025550171', accountcode: 'bob' },
}

/** A call of Bob from 12025550130, as a switch writes it, with the number that it shows. */
const WRITTEN: readonly [string, (shown?: string) => Partial<CdrDocument>][] = [
  [
    'freeswitch-json',
    (shown) => {
      const leg = JSON.parse(demoLeg)
      const effective_caller_id_number = shown && encodeURIComponent(shown)
      const variables = { ...leg.variables, accountcode: 'bob', effective_caller_id_number }
      return { text: JSON.stringify({ ...leg, variables }) }
    },
  ],
  [
    'freeswitch-xml',
    (shown) => {
      const name = 'effective_caller_id_number'
      const variable = shown === undefined ? '' : `<${name}>${encodeURIComponent(shown)}</${name}>`
      return {
        text: demoXml.replace('</variables>', `<accountcode>bob</accountcode>${variable}</variables>`),
      }
    },
  ],
  [
    'freeswitch-csv',
    (shown) => {
      const columns =
        'uuid,start_epoch,answer_epoch,end_epoch,duration,billsec,caller_id_number,destination_number,accountcode,hangup_cause,originator,effective_caller_id_number'
      const cells = `c1,1773129600,1773129611,1773129671,71,60,12025550130,12025550171,bob,NORMAL_CLEARING,,${shown}`
      return { text: table([columns.split(','), cells.split(',')], shown) }
    },
  ],
  [
    'kamailio-json',
    (shown) => {
      const events = [
        { method: 'INVITE', time: 1773129611 },
        { method: 'BYE', time: 1773129671 },
      ]
      const written = events.map((event) => ({ ...dialog, ...sides, ...event, ...accFields(shown) }))
      return { text: written.map((event) => JSON.stringify(event)).join('\n') }
    },
  ],
  [
    'kamailio-csv',
    (shown) => {
      const names = ['time', 'method', ...Object.keys(dialog), ...Object.keys(sides), 'carrier_src']
      const rest = [...Object.values(dialog), ...Object.values(sides), String(shown)]
      return {
        text: table([names, ['1773129611', 'INVITE', ...rest], ['1773129671', 'BYE', ...rest]], shown),
      }
    },
  ],
  ['opensips-json', (shown) => ({ text: JSON.stringify({ ...opensipsCall, ...accFields(shown) }) })],
  [
    'opensips-csv',
    (shown) => {
      const names = [...Object.keys(opensipsCall), 'carrier_src']
      return { text: table([names, [...Object.values(opensipsCall).map(String), String(shown)]], shown) }
    },
  ],
  [
    'opensips-log',
    (shown) => {
      const core = 'method=INVITE;from_tag=a;to_tag=b;call_id=c1;code=200;reason=OK'
      const times = 'created=1773129600;call_start_time=1773129611;duration=60;ms_duration=60004;setuptime=11'
      const fields = Object.entries({ ...sides, ...accFields(shown) }).map(
        ([name, value]) => `${name}=${value}`,
      )
      return {
        text: `Mar 10 08:01:11 sip1 opensips[7]: ACC: call ended: ${[times, core, ...fields].join(';')}\n`,
      }
    },
  ],
  ['asterisk-json', (shown) => ({ text: JSON.stringify({ ...asteriskCall, ...accFields(shown) }) })],
  [
    'asterisk-csv',
    (shown) => {
      const names = [...Object.keys(asteriskCall), 'carrier_src']
      return { text: table([names, [...Object.values(asteriskCall).map(String), String(shown)]], shown) }
    },
  ],
  [
    'json',
    (shown) => {
      const call = { uniqueid: 'c1', start: 1773129600, src: '12025550130', dst: '12025550171' }
      const rest = { duration: 71, billsec: 60, account_code: 'bob', Presented: shown }
      return { text: JSON.stringify({ ...call, ...rest }), ...(shown !== undefined && { mapping }) }
    },
  ],
  [
    'csv',
    (shown) => {
      const columns = 'uniqueid,start,src,dst,duration,billsec,account_code,Presented'
      const cells = `c1,1773129600,12025550130,12025550171,71,60,bob,${shown}`
      return {
        text: table([columns.split(','), cells.split(',')], shown),
        ...(shown !== undefined && { mapping }),
      }
    },
  ],
]

const anEvening = async () => {
  const world = await anOperator()
  world.now = new Date('2026-03-10T20:00:00Z')
  return world
}

test('every format of CDRs is tried', () => {
  expect(WRITTEN.map(([format]) => format).sort()).toEqual(
    FORMAT_NAMES.filter((name) => name !== 'live').sort(),
  )
})

test.each(WRITTEN)('%s says which number the carrier was shown', async (format, write) => {
  const world = await anEvening()

  await send(world, { format: format as CdrDocument['format'], ...write('+4930123456') })

  expect(await suspenseOf(world)).toEqual([])
  expect(await searchedCalls(world)).toMatchObject([{ src: '12025550130', carrier_src: '+4930123456' }])
})

test.each(WRITTEN)('%s: an earlier CDR that comes again is no correction', async (name, write) => {
  const world = await anEvening()
  const format = name as CdrDocument['format']
  await send(world, { format, ...write() })

  for (const shown of [undefined, '12025550130', '+12025550130', '+4930123456'])
    expect(await send(world, { format, ...write(shown) })).toMatchObject({ stored: 0, corrected: 0 })

  expect(await suspenseOf(world)).toEqual([])
  const [call, ...others] = await searchedCalls(world)
  expect([call?.version, call?.carrier_src, others]).toEqual([1, undefined, []])
})

test.each(WRITTEN)(
  '%s: a CDR that comes again without the shown number is no correction',
  async (name, write) => {
    const world = await anEvening()
    const format = name as CdrDocument['format']
    await send(world, { format, ...write('+4930123456') })

    expect(await send(world, { format, ...write() })).toMatchObject({ stored: 0, corrected: 0 })

    expect(await searchedCalls(world)).toMatchObject([{ version: 1, carrier_src: '+4930123456' }])
  },
)

test('another shown number is a correction', async () => {
  const world = await anEvening()
  const write = (shown: string) => WRITTEN.at(-1)?.[1](shown) ?? {}
  await send(world, write('+4930123456'))

  expect(await send(world, write('+3221234567'))).toMatchObject({ corrected: 1 })

  expect(await searchedCalls(world)).toMatchObject([{ version: 2, carrier_src: '+3221234567' }])
})
