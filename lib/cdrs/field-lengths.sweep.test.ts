import { expect, test } from 'vitest'
import { quotedLine } from '#lib/csv/writer.ts'
import { anOperator, send } from '#test/mediation/csv-switch.ts'
import { asteriskCdr, demoDocument, liveEvent } from '#test/mediation/switch-documents.ts'
import { shareOf } from '#test/sweep.ts'
import { type FormatName, isCsvFormat } from './formats/formats.ts'
import { MAPPED_FIELDS } from './formats/mapped-csv.ts'

/** Three times the budget of 4 MB: a busy machine stays below it, and superlinear work exceeds it. */
const MAX_SECONDS = 6
const MAX_MEMORY_BYTES = 300_000_000

const LENGTHS = [1_000, 100_000, 4_000_000]

/** Texts that the patterns of the formats look for, and characters that a conversion makes longer. */
const UNITS = [
  'x',
  '-',
  '/',
  'a/',
  '@[',
  ':1',
  '%41',
  '%',
  '9',
  ' ',
  '+',
  '${',
  'CDR(',
  'sofia/gateway/',
  '::',
  '\u20ac',
  '\u0130',
  '"',
]

/** The fields of a CDR in their order, and the document that has them. */
interface Sample {
  readonly fields: Readonly<Record<string, string>>
  readonly write: (fields: Readonly<Record<string, string>>) => string
}

const firstLine = (name: string): Readonly<Record<string, unknown>> =>
  JSON.parse(demoDocument(name).split('\n')[0] ?? '')

const textsIn = (object: object): Record<string, string> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]))

const FREESWITCH_VARIABLES = {
  uuid: 'u',
  start_epoch: '1773129600',
  answer_epoch: '1773129610',
  end_epoch: '1773129670',
  duration: '70',
  billsec: '60',
  hangup_cause: 'NORMAL_CLEARING',
  hangup_cause_q850: '16',
  accountcode: 'bob',
  user_name: '2010',
  sip_auth_username: '2010',
  sip_network_ip: '192.0.2.1',
  network_addr: '192.0.2.1',
  channel_name: 'sofia/a/b',
  last_arg: 'sofia/gateway/potomac/1',
  bridge_channel: 'sofia/external/1@192.0.2.1',
  sip_gateway: 'potomac',
  sip_gateway_name: 'potomac',
  originator: '',
}
const FREESWITCH_PROFILE = {
  caller_id_number: '37060000001',
  destination_number: '12025550171',
  chan_name: 'a',
}
const KAMAILIO_EXTRA = { auth_user: '2030', accountcode: 'bob', provider: 'potomac', dst_ip: '192.0.2.1' }
const OPENSIPS_CDR = {
  time: '1773129610',
  created: '1773129600',
  duration: '60',
  ms_duration: '60000',
  method: 'INVITE',
  from_tag: 'a',
  to_tag: 'b',
  callid: 'c',
  sip_code: '200',
  sip_reason: 'OK',
  src_user: '2030',
  dst_user: '12025550171',
}
const LOG_NAMES = new Map([
  ['time', 'call_start_time'],
  ['callid', 'call_id'],
  ['sip_code', 'code'],
  ['sip_reason', 'reason'],
])
const CSV_CDR = {
  ...Object.fromEntries(MAPPED_FIELDS.map((name) => [name, ''])),
  uniqueid: 'u',
  start: '2026-03-10 09:00:00',
  duration: '70',
  billsec: '60',
  disposition: 'ANSWERED',
}

const json = (fields: object): Sample => ({ fields: textsIn(fields), write: (all) => JSON.stringify(all) })

const csv = (fields: object): Sample => ({
  fields: textsIn(fields),
  write: (all) => `${quotedLine(Object.keys(all))}\n${quotedLine(Object.values(all))}\n`,
})

const parted = (all: Readonly<Record<string, string>>) => {
  const entries = Object.entries(all)
  return [
    entries.filter(([name]) => !(name in FREESWITCH_PROFILE)),
    entries.filter(([name]) => name in FREESWITCH_PROFILE),
  ] as const
}

const SAMPLES: Readonly<Record<FormatName, Sample>> = {
  'asterisk-json': json({ ...asteriskCdr, ...firstLine('asterisk.ndjson'), hangupcause: '16' }),
  'asterisk-csv': csv({ ...firstLine('asterisk.ndjson'), hangupcause: '16' }),
  'freeswitch-csv': csv({
    start_stamp: '2026-03-10 09:00:00',
    ...FREESWITCH_VARIABLES,
    ...FREESWITCH_PROFILE,
  }),
  'freeswitch-json': {
    fields: { ...FREESWITCH_VARIABLES, ...FREESWITCH_PROFILE },
    write: (all) => {
      const [variables, profile] = parted(all)
      const caller_profile = Object.fromEntries(profile)
      return JSON.stringify({ variables: Object.fromEntries(variables), callflow: [{ caller_profile }] })
    },
  },
  'freeswitch-xml': {
    fields: { ...FREESWITCH_VARIABLES, ...FREESWITCH_PROFILE },
    write: (all) => {
      const [variables, profile] = parted(all)
      const elements = (some: readonly (readonly [string, string])[]) =>
        some.map(([name, text]) => `<${name}>${text}</${name}>`).join('')
      return `<cdr><variables>${elements(variables)}</variables><callflow><caller_profile>${elements(profile)}</caller_profile></callflow></cdr>`
    },
  },
  'kamailio-json': json({ ...firstLine('kamailio.ndjson'), ...KAMAILIO_EXTRA }),
  'kamailio-csv': csv({ ...firstLine('kamailio.ndjson'), time: '2026-03-10 09:00:00', ...KAMAILIO_EXTRA }),
  'opensips-csv': csv({ ...OPENSIPS_CDR, time: '2026-03-10 09:00:00', ...KAMAILIO_EXTRA }),
  'opensips-json': json({ ...OPENSIPS_CDR, ...KAMAILIO_EXTRA }),
  'opensips-log': {
    fields: textsIn({ ...OPENSIPS_CDR, ...KAMAILIO_EXTRA }),
    write: (all) =>
      `sip1 opensips[1]: ACC: call ended: ${Object.entries(all)
        .map(([name, text]) => `${LOG_NAMES.get(name) ?? name}=${text}`)
        .join(';')}`,
  },
  csv: csv(CSV_CDR),
  json: json(CSV_CDR),
  live: json({
    ...liveEvent('CREATE', 1_773_129_600),
    variable_accountcode: 'bob',
    'Caller-Network-Addr': '192.0.2.1',
  }),
}

const FORMATS = Object.entries(SAMPLES) as [FormatName, Sample][]

/** The fields without which a CDR is not read to its end. */
const isNeeded = (name: string): boolean =>
  /start|answer|^end|time$|duration|billsec|method|sip_code|Event|Direction|originator/.test(name)

async function cost(
  format: FormatName,
  text: string,
): Promise<{ readonly seconds: number; readonly bytes: number }> {
  const world = await anOperator()
  const [before, memory] = [process.cpuUsage(), process.memoryUsage().rss]
  await send(world, { format, text })
  const { user, system } = process.cpuUsage(before)
  return { seconds: (user + system) / 1_000_000, bytes: process.memoryUsage().rss - memory }
}

async function expectCheap(format: FormatName, text: string): Promise<void> {
  const { seconds, bytes } = await cost(format, text)
  expect(seconds).toBeLessThan(MAX_SECONDS)
  expect(bytes).toBeLessThan(MAX_MEMORY_BYTES)
}

const textOf = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length)

test.each(FORMATS.flatMap(([format], turn) => shareOf(UNITS, turn).map((unit) => [format, unit] as const)))(
  '%s: every field has 100,000 characters of %j',
  async (format, unit) => {
    const { fields, write } = SAMPLES[format]
    const long = Object.entries(fields).map(([name, text]) => [
      name,
      isNeeded(name) ? text : textOf(unit, 100_000),
    ])

    await expectCheap(format, write(Object.fromEntries(long)))
  },
)

test.each(
  FORMATS.flatMap(([format, { fields }], turn) =>
    shareOf(Object.keys(fields), turn).map((name) => [format, name] as const),
  ),
)('%s: the field %s has 1,000 to 4,000,000 characters', async (format, name) => {
  const { fields, write } = SAMPLES[format]

  for (const length of LENGTHS)
    await expectCheap(format, write({ ...fields, [name]: textOf('a/-1', length) }))
})

test.each(UNITS)('a document of rows begins with 4,000,000 characters of %j', async (unit) => {
  for (const [format] of FORMATS.filter(([name]) => isCsvFormat(name))) {
    await expectCheap(format, textOf(unit, 4_000_000))
    await expectCheap(format, `${textOf(unit, 3_900)},start\n${textOf(unit, 1_000_000)}`)
  }
})
