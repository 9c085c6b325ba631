import { describe, expect, test } from 'vitest'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { rate } from '#test/examples/tariffs.ts'
import { ASTERISK_CALL, anOperator, csv, dialogEvent, send } from '#test/mediation/csv-switch.ts'
import type { World } from '#test/world.ts'

type Row = Readonly<Record<string, string>>

/** The prefixes of a country each, whose price is their first digits. */
const RATES = ['20', '31', '44', '49', '90', '91', '94'].map((prefix) =>
  rate({ prefix, tariff_rate: `0.${prefix}` }),
)

const aSwitch = (settings: Row = {}, provider: Row = {}, rows: Readonly<Record<string, Row[]>> = {}) =>
  anOperator(
    {
      providers: [{ id: '1', name: 'Potomac', number_format: 'e164', ...provider }],
      rates: [rate({ prefix: '1', tariff_rate: '0.03' }), ...RATES],
      ...rows,
    },
    { Rated_Number: 'carrier', Country_Code: '1', ...settings },
  )

const prices = async (world: World) =>
  (await searchedCalls(world)).map(({ dst, user_price, rated_dst }) => [dst, user_price, rated_dst])

const details = async (world: World) =>
  (await suspenseOf(world)).map(({ reason, detail }) => [reason, detail])

const asterisk = (dst: string, called: string, change: Row = {}) => ({
  format: 'asterisk-json' as const,
  text: JSON.stringify({ ...ASTERISK_CALL, dst, lastdata: `PJSIP/${called}@Potomac,60`, ...change }),
})

/** A leg of FreeSWITCH that called a number over the carrier. */
const freeswitch = (dialled: string, called: string) => {
  const dialString = `sofia/gateway/Potomac/${called}`
  const partner = { destination_number: called, chan_name: `sofia/external/${called}` }
  return {
    format: 'freeswitch-json' as const,
    text: JSON.stringify({
      variables: {
        uuid: 'f1',
        direction: 'inbound',
        accountcode: 'bob',
        sip_auth_username: '1001',
        last_arg: dialString,
        bridge_channel: `sofia/external/${called}`,
        start_epoch: '1773136800',
        answer_epoch: '1773136800',
        end_epoch: '1773136860',
        duration: '60',
        billsec: '60',
        hangup_cause: 'NORMAL_CLEARING',
      },
      callflow: [
        {
          caller_profile: {
            destination_number: dialled,
            caller_id_number: '1001',
            originatee: { originatee_caller_profiles: [partner] },
          },
          times: {},
        },
      ],
    }),
  }
}

const kamailio = (dialled: string, called: string) => ({
  format: 'kamailio-json' as const,
  text: ['INVITE', 'BYE']
    .map((method, index) =>
      dialogEvent(method, '200', index * 60, { dst_ouser: dialled, dst_user: called, provider: 'Potomac' }),
    )
    .join('\n'),
})

describe('the number that the carrier was called with is rated, and the printed one stays', () => {
  test.each([
    ['912025550171', '12025550171', '0.03'],
    ['2025550171', '12025550171', '0.03'],
    ['9442079460000', '442079460000', '0.44'],
    ['9011442079460000', '442079460000', '0.44'],
  ])('dialled %s, called %s', async (dialled, called, price) => {
    for (const document of [asterisk(dialled, called), freeswitch(dialled, called)]) {
      const world = await aSwitch()
      await send(world, document)
      expect(await prices(world)).toEqual([[dialled, price, called]])
    }
    const proxy = await aSwitch()
    await send(proxy, kamailio(dialled, called))
    expect(await prices(proxy)).toEqual([[called, price, undefined]])
  })

  test('with a prefix that the carrier cuts, or is refused without it', async () => {
    for (const document of [asterisk, freeswitch, kamailio].map((one) =>
      one('442079460000', '1234#442079460000'),
    )) {
      const world = await aSwitch({}, { tech_prefix: '1234#' })
      await send(world, document)
      expect((await prices(world)).map((cells) => cells.slice(0, 2))).toEqual([
        [expect.stringMatching(/442079460000$/), '0.44'],
      ])

      const unsaid = await aSwitch()
      await send(unsaid, document)
      expect((await details(unsaid)).slice(0, 1)).toEqual([
        ['ambiguous_number', expect.stringContaining('set the tech_prefix of the provider')],
      ])
    }
  })

  test('an earlier installation rates the dialled number', async () => {
    const world = await aSwitch({ Rated_Number: '' })
    await send(world, asterisk('912025550171', '12025550171'))
    expect(await prices(world)).toEqual([['912025550171', '0.91', undefined]])
  })

  test('a correction is rated in the same way', async () => {
    const world = await aSwitch()
    await send(world, asterisk('912025550171', '12025550171'))
    await send(world, asterisk('912025550171', '12025550171', { duration: '120', billsec: '120' }))
    expect(await prices(world)).toEqual([['912025550171', '0.06', '12025550171']])
  })
})

test('a number that nothing tells is suspended with each step, and stored once it is told', async () => {
  const world = await aSwitch({}, { number_format: '' })
  await send(world, asterisk('2025550171', '12025550171'))
  expect(await details(world)).toEqual([
    [
      'ambiguous_number',
      'dialled 2025550171; the carrier Potomac was called with 12025550171; its number_format is not said; 2025550171 does not tell it either: set the number_format of the provider (e164 or local), or National_Length',
    ],
  ])
  await send(
    world,
    asterisk('2025550199', '12025550199', { disposition: 'NO ANSWER', billsec: '0', uniqueid: '2' }),
  )
  expect(await prices(world)).toEqual([['2025550199', '0', undefined]])

  await world.set({ National_Length: '10' })
  await send(world, asterisk('2025550171', '12025550171'))
  expect((await prices(world)).sort()).toEqual([
    ['2025550171', '0.03', '12025550171'],
    ['2025550199', '0', undefined],
  ])
})

describe('digit rules', () => {
  const rows = {
    devices: [
      { id: '5', user_id: '10', name: '1001', extension: '1001', location_id: '7' },
      { id: '6', user_id: '10', name: '1002', extension: '1002' },
    ],
    device_rules: [
      { id: '1', device_id: '5', name: 'line', cut: '9', add: '' },
      { id: '2', device_id: '5', name: 'off', enabled: '0', cut: '920', add: '9131' },
      { id: '3', device_id: '5', name: 'source', pr_type: 'src', cut: '92', add: '9131' },
    ],
    locations: [{ id: '7', name: 'Washington', owner_id: '0' }],
    location_groups: [{ id: '8', name: 'Some', owner_id: '0' }],
    location_rules: [
      { id: '4', location_id: '7', name: 'national', add: '1', minlen: '10', maxlen: '10' },
      { id: '5', location_id: '7', name: 'of a group', cut: '2', add: '312', location_group_id: '8' },
      { id: '6', location_id: '7', name: 'source', cut: '20', add: '3120', lr_type: 'src' },
    ],
  }
  const call = { dst: '92025550171', device: '1001', account_code: '' }

  test.each([
    [{ Apply_Number_Rules: 'on' }, call, '0.03'],
    [{ Apply_Number_Rules: 'on' }, { ...call, device: '1002' }, '0.92'],
    [{}, call, '0.92'],
    [{ Apply_Number_Rules: 'on', Rated_Number: 'dialled' }, call, '0.92'],
  ])('with %o, %o costs %s', async (settings, change, price) => {
    const world = await aSwitch(
      settings as Row,
      {},
      {
        ...rows,
        rates: [
          ...RATES,
          rate({ prefix: '1', tariff_rate: '0.03' }),
          rate({ prefix: '92', tariff_rate: '0.92' }),
        ],
      },
    )
    const order = ['uniqueid', 'start', 'src', 'dst', 'billsec', 'device', 'account_code']
    await send(world, csv([change as object], order))
    expect((await prices(world)).map(([, paid]) => paid)).toEqual([price])
  })
})

test('a carrier that is not a provider tells no number: the dialled one is rated', async () => {
  const world = await aSwitch()
  const text = JSON.stringify({
    ...ASTERISK_CALL,
    dst: '912025550171',
    dstchannel: 'PJSIP/trunk_1-1',
    lastdata: 'PJSIP/12025550171@trunk_1,60',
  })
  await send(world, { format: 'asterisk-json', text })
  expect(await prices(world)).toEqual([['912025550171', '0.91', undefined]])
})

describe('called texts that are not numbers', () => {
  test.each([
    ['+442079460000@sip.example.net', '0.44'],
    ['tel:+442079460000', '0.44'],
    ['442079460000;npdi;rn=+442079460001', '0.44'],
    ['442079460000#', '0.44'],
    ['442079460000.0', '0.44'],
    ['%2B442079460000', '0.44'],
    [`sip:+442079460000@${'a'.repeat(100)}.example.net`, '0.44'],
    ['sip:1001@example.net', '0'],
    ['sip:112@example.net', '0'],
  ])('%s is rated: %s', async (dst, price) => {
    const world = await aSwitch(
      {},
      {},
      { devices: [{ id: '5', user_id: '10', name: '1001', extension: '1001' }] },
    )
    await send(world, csv([{ dst }]))
    expect(await details(world)).toEqual([])
    expect((await searchedCalls(world)).map(({ user_price }) => user_price)).toEqual([price])
  })

  test.each([
    ['4.42079E+11', 'unreadable', 'a spreadsheet has shortened the number'],
    ['anonymous', 'unreadable', 'this is not a number'],
    ['', 'unreadable', 'this is not a number'],
    ['#31#442079460000', 'ambiguous_number', 'Feature_Codes'],
    ['p442079460000', 'ambiguous_number', 'Feature_Codes'],
  ])('%j is suspended as %s', async (dst, reason, words) => {
    const world = await aSwitch()
    await send(world, csv([{ dst }]))
    expect(await details(world)).toEqual([[reason, expect.stringContaining(words)]])

    const unanswered = await aSwitch()
    await send(unanswered, csv([{ dst, billsec: '0', disposition: 'NO ANSWER' }]))
    expect(await details(unanswered)).toHaveLength(dst === '4.42079E+11' ? 1 : 0)
  })

  test('letters before digits without a rate are a code, and so is a listed text', async () => {
    const world = await aSwitch({ Feature_Codes: String.raw`p* \*72*` })
    const texts = ['x882079460000', 'p442079460000', '*72442079460000']
    await send(world, csv(texts.map((dst) => ({ dst, uniqueid: dst }))))
    expect((await searchedCalls(world)).map(({ rated }) => rated)).toEqual(texts.map(() => 'feature_code'))
  })
})

test('the called number of a DID may be a URI', async () => {
  const world = await aSwitch(
    {},
    {},
    { dids: [{ id: '1', did: '442079460050', owner_id: '0', user_id: '10' }] },
  )
  await send(world, csv([{ dst: 'sip:+442079460050@192.0.2.1', account_code: '' }]))
  expect(await searchedCalls(world)).toMatchObject([{ incoming: true, user_price: '0', user_id: 10 }])
})
