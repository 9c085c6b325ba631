import { expect, test } from 'vitest'
import { entriesOfSheet, questionsOfSheet } from '#test/datasets/sheets.ts'

/** The stored values of a row: prefix, origin, rate, fee, minimum and increment. */
async function ratesOf(sheet: string, profile: Parameters<typeof entriesOfSheet>[1]): Promise<string[]> {
  return (await entriesOfSheet(sheet, profile)).map((entry) => {
    if ('ended' in entry) return `${entry.ended} ends`
    if (entry.problem !== undefined) return entry.problem
    const { prefix, origin, tariff_rate, con_fee, min_time, increment } = entry.cells
    const from = origin ? ` from ${origin}` : ''
    const steps = increment === undefined ? '' : ` ${min_time}/${increment}`
    return `${prefix}${from} ${tariff_rate}${con_fee ? `+${con_fee}` : ''}${steps}`
  })
}

/** Headings that are published, with a row of our own: what is asked about them, and what is stored. */
test.each([
  {
    // CGRateS, docs/csv_tprates.rst: the unit of a rate stands in a column, with the increment beside it
    sheet: 'Tag,Prefix,ConnectFee,Rate,RateUnit,RateIncrement\nA,44,0.02,0.02,60s,6s\nB,49,0,0.001,1s,1s',
    asks: ['units: 1 or 60 or call'],
    profile: { units: { '1s': '60' } },
    rates: ['44 0.02+0.02 0/6', '49 0.06+0 0/1'],
  },
  {
    // A2Billing, cc_ratecard: a charge when a call ends, and prices of later minutes; blank and 0 are none
    sheet:
      'dial prefix;destination;rate;initblock;billingblock;connectcharge;disconnectcharge;stepchargea\n44;UK;0.02;60;6;0.01;0.05;0\n34;ES;0.01;1;1;0;0;',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['44 0.02+0.01 60/6', '34 0.01+0 1/1'],
  },
  {
    // irontec/ivozprovider #1425: a connection charge that pays the seconds of the interval start
    sheet:
      'Name,Prefix,Connection Charge,Interval Start,Charge Period,Rate\nAR,54,0.05,60,1,0.05\nBO,591,0,0,60,0.2',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['54 0.05+0.05 0/1', '591 0.2+0 0/60'],
  },
  {
    // 2600hz/kazoo, rates.md: seconds that cost nothing
    sheet: 'prefix,description,rate,rate_nocharge_time\n44,UK,0.02,10',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['44 0.02'],
  },
  {
    // Prices of further minutes that are those of the first one
    sheet: 'Code,Destination,Rate,Each further minute\n44,UK,0.02,0.02',
    asks: [],
    profile: {},
    rates: ['44 0.02'],
  },
  {
    // A dash after the first code of a list, which names no country
    sheet: 'Code,Destination,Rate\n"30, 33-34",Greece and others,0.1',
    asks: ['dash: range or country'],
    profile: { dash: 'range', lists: 'whole' },
    rates: ['30 0.1', '33 0.1', '34 0.1'],
  },
  {
    // Yeastar P-Series, Rate Parameters: a rate is of a billable unit of seconds
    sheet: 'Name,Match Prefix,Number Length,Rate,Billable Unit(s)\nUK,0044,,0.6,6\nDE,0049,,0.6,60',
    asks: ['units: 1 or 60 or 10 or call'],
    profile: { units: { '6': '10' } },
    rates: ['44 6', '49 0.6'],
  },
  {
    // onlinesupport.co.uk, out of bundle call charges: prices of minutes and of calls in one column
    sheet:
      'Description,Prefix,Minimum first period charge,Billing Increments,Charge\nMobile,447,60 seconds,1 second,64.18p/min\nPager,4476,60 seconds,1 second,64.18p per call\nPremium,449,1,1,64.18p + Service Charge/min',
    asks: [
      'units: 1 or 60 or 0.01 or call',
      'notes: price or refused',
      'columns.min_time: Minimum first period charge or none',
    ],
    profile: {
      units: { 'p/min': '0.01', 'p per call': 'call' },
      fee_factor: '0.01',
      notes: { 'p + Service Charge/min': 'refused' },
      columns: { min_time: 'Minimum first period charge' },
    },
    rates: [
      '447 0.6418 60/1',
      '4476 0+0.6418 60/1',
      'Charge: "64.18p + Service Charge/min" is not a plain price',
    ],
  },
  {
    // 46labs.atlassian.net, Rate Decks: a column "duration" is the least number of seconds
    sheet: 'code,duration,increment,rate_minute,effective_date\n1934226,30,6,0.007,2022-08-16',
    asks: ['columns.min_time: duration or none'],
    profile: { columns: { min_time: 'duration' } },
    rates: ['1934226 0.007 30/6'],
  },
  {
    // gist kelvinewilliams/e0b69e3514f4040f2cf9: PostgreSQL writes the offset as +00; min_inc before add_inc
    sheet: 'prefix,rate,effective_date,min_inc,add_inc\n1404543,0.0021,2015-12-07 18:48:36.199341+00,30,6',
    asks: [],
    profile: {},
    rates: ['1404543 0.0021 30/6'],
  },
  {
    // callwithus.com/wholesale: rates between and within states
    sheet:
      'dialprefix;destination name;rate interstate;rate intrastate;initial billing time;billing increment\n1934226;NY;0.007;0.008;30;6',
    asks: [],
    profile: {},
    rates: ['1934226 from interstate 0.007 30/6', '1934226 from intrastate 0.008 30/6'],
  },
  {
    // Elastic SIP trunking price files of US carriers: origins as prefixes of callers
    sheet:
      'ISO,Country,Description,Price / min,Origination Prefixes,Destination Prefixes\nGB,UK,Mobile,0.03,,"447,4475"\nGB,UK,Mobile,0.33,"33,34","447,4475"',
    asks: [],
    profile: {},
    rates: ['447 0.03', '4475 0.03', '447 from 33 34 0.33', '4475 from 33 34 0.33'],
  },
  {
    // 2600hz/kazoo, doc/rates.md
    sheet:
      'prefix,iso_country_code,description,pvt_rate_cost,rate_cost,rate_surcharge,rate_increment,rate_minimum\n44,GB,UK,0.01,0.02,0.05,6,60',
    asks: [],
    profile: {},
    rates: ['44 0.02+0.05 60/6'],
  },
  {
    // docs.ictvoip.ca, CSV Mapping Requirements
    sheet: 'Description,Prefix,RateValue,Increment\nCanada - 204 Manitoba,1204,0.01,6',
    asks: [],
    profile: {},
    rates: ['1204 0.01 0/6'],
  },
  {
    // iNextrix/ASTPP, import of termination rates
    sheet:
      'Code,Destination,Connect Cost,Included Seconds,Per Minute Cost,Initial Increment,Increment\n91,India,0.1,0,0.25,30,6',
    asks: [],
    profile: {},
    rates: ['91 0.25+0.1 30/6'],
  },
  {
    // docslib.org/doc/216656 (Voiceflex): pence a minute, and pence a call
    sheet: 'Destination,Code,Rate (ppm),Base call cost (p)\nAfghanistan,93,64.75,5',
    asks: ['rate_factor: 1 or 0.01 or 60', 'columns.con_fee: Base call cost (p) or none'],
    profile: { rate_factor: '0.01', fee_factor: '0.01', columns: { con_fee: 'Base call cost (p)' } },
    rates: ['93 0.6475+0.05'],
  },
  {
    // syncswitch.com, Preparing Rate Chart for Uploading: two prices, and hours that are no days of ours
    sheet:
      'Rate per minute,Rate per call,Pulse,Minimum duration,Starting time,Ending time,Destination code\n0.05,0.01,6,30,08:00:00,17:59:59,521',
    asks: ['columns.tariff_rate: Rate per minute or Rate per call'],
    profile: { columns: { tariff_rate: 'Rate per minute', con_fee: 'Rate per call' }, fee_factor: '1' },
    rates: ['521 0.05+0.01 30/6'],
  },
  {
    // doc.didww.com, Inbound Call Price Object: true is no price
    sheet:
      'prefix,rate,connection_fee,initial_interval,next_interval,rejected\n44,0.01,0.02,60,1,false\n4470,,,60,1,true',
    asks: ['statuses: kept or ended or blocked'],
    profile: { statuses: { true: 'blocked' } },
    rates: ['44 0.01+0.02 60/1', '4470 -1 60/1'],
  },
  {
    // doc.didww.com (api3 2026-11-19, Get Outbound Call Price File): a price of an origin, and one that is rejected
    sheet:
      'Category,Country,Network,Prefix,Rate,Connection fee,Initial increment,Recurring increment,Source prefix,Reject calls\nInternational,UK,Mobile,447,0.02,0.05,60,6,,false\nInternational,Nowhere,,883,,,,,,true',
    asks: ['statuses: kept or ended or blocked'],
    profile: { statuses: { true: 'blocked' } },
    rates: ['447 0.02+0.05 60/6', '883 -1'],
  },
  {
    // irontec.github.io/ivozprovider, Importing a CSV file: the charge period is the increment
    sheet: 'Destination name,Prefix,Per minute charge,Connection charge,Charge period\nUK,+44,0.02,0.05,60',
    asks: [],
    profile: {},
    rates: ['44 0.02+0.05 0/60'],
  },
  {
    // help.yeastar.com, S-Series, Billing Rate: hours under From and To
    sheet: 'Prefix,From,To,Rate\n44,08:00:00,17:59:59,0.6\n44,18:00:00,07:59:59,0.3',
    asks: ['columns.start_time: From or none', 'columns.end_time: To or none'],
    profile: { columns: { start_time: 'From', end_time: 'To' } },
    rates: ['44 0.6', '44 0.3'],
  },
  {
    // help.yeastar.com, P-Series, Rate Parameters: the first seconds and their cost
    sheet: 'Name,Match Prefix,Rate,Initial Time(s),Initial Cost\nUK,44,0.6,180,0.5',
    asks: ['columns.min_time: Initial Time(s) or none', 'columns.con_fee: Initial Cost or none'],
    profile: { columns: { min_time: 'Initial Time(s)', con_fee: 'none' } },
    rates: ['44 0.6 180/1'],
  },
  {
    // 46labs.atlassian.net, Rate Decks: jurisdictions in one word
    sheet: 'code,increment,interrate,intrarate,ijrate\n1934226,6,0.007,0.008,0.009',
    asks: [],
    profile: {},
    rates: [
      '1934226 from interstate 0.007 0/6',
      '1934226 from intrastate 0.008 0/6',
      '1934226 from indeterminate 0.009 0/6',
    ],
  },
  {
    // docs.switzernet.com, Tariff upload guide (PortaOne): prices of the first and the next interval, and off-peak
    sheet:
      'Prefix,Description,First Interval,Next Interval,Rate,Off-peak Rate,Effective from\n44,UK,60,6,0.02,0.01,2026-12-01',
    asks: ['columns.tariff_rate: Rate or Off-peak Rate'],
    profile: { columns: { tariff_rate: 'Rate' } },
    rates: ['44 0.02 60/6'],
  },
  {
    // dualsoftswitch.com, Rates: a price and the discounted one of the account
    sheet: 'Code,Rate,Discounted Rate\n44,0.05,0.04',
    asks: ['columns.tariff_rate: Rate or Discounted Rate'],
    profile: { columns: { tariff_rate: 'Discounted Rate' } },
    rates: ['44 0.04'],
  },
  {
    // As knowledgecenter.cm.com surcharges callers outside the EER, with a column of the price for them
    sheet: 'Destination,Code,Rate,Rate RoW callers\nBelgium,32,0.007,0.25',
    asks: ['columns.tariff_rate: Rate or Rate RoW callers'],
    profile: { columns: { tariff_rate: 'Rate RoW callers' } },
    rates: ['32 0.25'],
  },
  {
    // docs.2600hz.com, Kazoo's rates task: a rate of the callers whose numbers begin so
    sheet: 'prefix,description,rate_cost,caller_id_numbers\n32,Belgium,0.007,32\n33,France,0.008,',
    asks: ['columns.origin: caller_id_numbers or none'],
    profile: { columns: { origin: 'caller_id_numbers' } },
    rates: ['32 from 32 0.007', '33 0.008'],
  },
  {
    // nationalnanpa.com: a central office code is NPA-NXX, without the country code; US decks have it so
    sheet: 'NPANXX,Interstate,Intrastate,Indeterminate\n212555,0.0021,0.0046,0.0058\n1907200,0.1,,',
    asks: [],
    profile: {},
    rates: [
      '1212555 from interstate 0.0021',
      '1212555 from intrastate 0.0046',
      '1212555 from indeterminate 0.0058',
      '1907200 from interstate 0.1',
    ],
  },
  {
    // docs.jerasoft.net, Rates import: Policy is a regular rate or an additive one, Time Profile its hours
    sheet:
      'Code,Rate,Min,Int,Policy,Time Profile\n44,0.02,30,6,R,\n447,0.01,30,6,A,\n49,0.03,60,60,R,Off-Peak',
    asks: ['statuses: kept or ended or blocked'],
    profile: { statuses: { a: 'ended', 'off-peak': 'kept' } },
    rates: ['44 0.02 30/6', '447 ends', '49 0.03 60/60'],
  },
  {
    // A minimum charge in money is asked about: a rate has none
    sheet: 'Code,Rate,Minimum Charge\n44,0.02,0.05',
    asks: ['columns.con_fee: Minimum Charge or none'],
    profile: { columns: { con_fee: 'none' } },
    rates: ['44 0.02'],
  },
  {
    // A row for the day and one for the night: two kept ones contradict each other later
    sheet: 'Code,Rate,Period\n44,0.02,Daytime\n44,0.01,Night',
    asks: ['statuses: kept or ended or blocked'],
    profile: { statuses: { daytime: 'kept', night: 'kept' } },
    rates: ['44 0.02', '44 0.01'],
  },
  {
    // The price of now beside one to come, which the only day belongs to
    sheet: 'Destination,Dial Code,Rate,Future Rate,Effective Date\nUK,447,0.02,0.025,2026-12-10',
    asks: ['columns.tariff_rate: Rate or Future Rate'],
    profile: { columns: { tariff_rate: 'Future Rate' } },
    rates: ['447 0.025'],
  },
  {
    // The same with a day for each
    sheet: 'Code,Rate,Effective Date,New Rate,New Rate Effective\n447,0.02,2026-11-01,0.025,2026-12-10',
    asks: ['columns.effective_from: Effective Date or New Rate Effective'],
    profile: { columns: { effective_from: 'New Rate Effective' } },
    rates: ['447 0.025'],
  },
  {
    // MOR, export of a tariff: the minimum under a word of its own
    sheet: 'Destination,Prefix,Rate,Connection Fee,Increment,Minimal time\nUK,447,0.02,0.01,30,60',
    asks: [],
    profile: {},
    rates: ['447 0.02+0.01 60/30'],
  },
  {
    // iNextrix/ASTPP: seconds that the fee of the connection pays
    sheet: 'Code,Destination,Connect Cost,Included Seconds,Per Minute Cost\n91,India,0.1,30,0.25',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['91 0.25+0.1'],
  },
  {
    // Sippy and PortaOne: a part of the price of each call
    sheet: 'Prefix,Price,Connect Fee,Post Call Surcharge (%)\n447,0.02,0.01,5',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['447 0.02+0.01'],
  },
  {
    // Decks with the country's code under "Code": 7 alone is Russia
    sheet: 'Country,Code,Area Code,Rate\nUK,44,7,0.02\nUK,44,20,0.01',
    asks: ['columns.prefix: Code or Area Code'],
    profile: { columns: { country_code: 'Code' } },
    rates: ['447 0.02', '4420 0.01'],
  },
  {
    // Prices before and after a discount, of buyers and of sellers
    sheet: 'Code,Rate,Net Rate,Discount %\n447,0.02,0.016,20',
    asks: ['columns.tariff_rate: Rate or Net Rate', 'unpriced: ignored'],
    profile: { columns: { tariff_rate: 'Net Rate' }, unpriced: 'ignored' },
    rates: ['447 0.016'],
  },
  {
    // A surcharge in hundredths of the price is no fee
    sheet: 'Prefix,Price,Surcharge %,Rate Change %\n447,0.02,5,-3',
    asks: ['unpriced: ignored'],
    profile: { unpriced: 'ignored' },
    rates: ['447 0.02'],
  },
  {
    // Price books of UK carriers: what a price is for, in a column
    sheet: 'Code,Rate,Charged\n447,0.02,per minute\n4470,0.6,per call',
    asks: ['units: 1 or 60 or call'],
    profile: { units: { 'per call': 'call' } },
    rates: ['447 0.02', '4470 0+0.6'],
  },
  {
    // Increments of minutes, and a heading that may say a minimum
    sheet: 'Code,Rate,Minimum (minutes),Increment (minutes)\n447,0.02,2,1',
    asks: [],
    profile: {},
    rates: ['447 0.02 120/60'],
  },
  {
    sheet: 'Code,Rate,Increment (min)\n447,0.02,1\n448,0.02,60/60',
    asks: [],
    profile: {},
    rates: ['Increment (min): "1" is not clear: minutes, or a minimum of seconds', '448 0.02 60/60'],
  },
  {
    // sipinterconnection.com/outbound.html: the increments of all rates, and of one country, below them
    sheet:
      'Code,Rate\n44,0.02\nAll Rates feature 1/1 billing intervals except for Mexico (uses 60/60 billing).',
    asks: ['lines: noted 1/1 60/60'],
    profile: { billing: '1/1' },
    rates: ['44 0.02 1/1'],
  },
  {
    // voixhub.com/pricing: the same in words; what its other notes say is in the sheet
    sheet:
      'Code,Rate\n44,0.02\n1. Billing is in one-second increments with a one second minimum\n2. All amounts are in US$.\n3. Rates are subject to change.',
    asks: ['lines: noted one-second one second'],
    profile: { lines: 'noted one-second one second' },
    rates: ['44 0.02'],
  },
  {
    // A day above the rates; the answer about one of them asks again about the next
    sheet: 'Rates valid from 15 December 2026\n,\nCode,Rate\n44,0.02',
    asks: ['lines: noted 15 December 2026'],
    profile: { lines: 'noted 15 December 2026' },
    rates: ['44 0.02'],
  },
  {
    sheet: 'Effective Date:,15/01/2027\nCode,Rate\n44,0.02',
    asks: ['lines: noted 15/01/2027'],
    profile: { lines: 'noted 15/12/2026' },
    rates: [],
  },
  {
    sheet: 'All prices in cents per minute\nCode,Rate\n44,2',
    asks: ['lines: noted per minute'],
    profile: { rate_factor: '0.01' },
    rates: ['44 0.02'],
  },
  {
    // Lines that say what columns have, or nothing of the kind
    sheet:
      'Effective 15 December 2026. Billing 60/60\nAll rates are in EUR per minute. VAT is not included\nCall us: 9-17\nCode,Rate,Increment,Effective\n44,0.02,60/60,2026-12-15',
    asks: [],
    profile: {},
    rates: ['44 0.02 60/60'],
  },
  {
    // Decks of European carriers: days under "Validity"
    sheet: 'Destination;Codes;Price €/min;Validity\nMobile;447500;0,0210;15/12/2026',
    asks: ['columns.effective_from: Validity or none'],
    profile: { columns: { effective_from: 'Validity' } },
    rates: ['447500 0.021'],
  },
] as const)('$sheet', async ({ sheet, asks, profile, rates }) => {
  expect(await questionsOfSheet(sheet)).toEqual(asks)
  expect(await ratesOf(sheet, profile)).toEqual(rates)
})

// pricebooks.utilitywarehouse.co.uk: Peak 7am to 7pm Monday to Friday; other price books write 0700 and 12 pm
test.each([
  ['7am', '7 p.m.', 'Mon - Fri', '07:00 19:00 weekday'],
  ['12am', '12 PM', 'Sat & Sun', '00:00 12:00 weekend'],
  ['0700', '1859', 'Working days', '07:00 18:59 weekday'],
  ['7:30 PM', '24:00:00', 'Daily', '19:30 24:00:00 everyday'],
  ['13pm', '07:00', 'holiday', '13pm 07:00 holiday'],
])('hours from %s to %s, %s, are %s', async (from, till, days, hours) => {
  const [entry] = await entriesOfSheet(
    `Code,Rate,Starting time,Ending time,Day of the week\n44,0.1,${from},${till},${days}\n`,
  )
  const { start_time, end_time, daytype } = entry && 'cells' in entry ? entry.cells : {}
  expect([start_time, end_time, daytype].join(' ')).toBe(hours)
})

test.each(['000006', '0100', '01:00', '00:06', '00060'])('%s may be digits of a clock', async (cell) => {
  const [question] = await questionsOfSheet(`Code,Rate,Increment\n33,0.1,${cell}\n`)
  expect(question).toBe('columns.billing: Increment or none')
  const [refused] = await ratesOf(`Code,Rate,Increment\n33,0.1,${cell}\n`, {
    columns: { billing: 'Increment' },
  })
  expect(refused).toBe(`Increment: "${cell}" is not increments in seconds such as 60/60`)
})

test.each(['Standard', 'International', 'A', ''])('%j in a column "Charge Type" is no unit', async (type) => {
  expect(await questionsOfSheet(`Code,Rate,Charge Type\n33,0.1,${type}\n`)).toEqual([])
})
