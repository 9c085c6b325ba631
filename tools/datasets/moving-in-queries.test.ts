import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/location.ts'
import {
  fitQuery,
  MOVED_TABLES,
  type MovingInQuery,
  movingInQueries,
  readSchema,
} from './moving-in-queries.ts'

const page = await readFile(`${root}docs/moving-in.md`, 'utf8')

test('every step has queries, without the comments of their files', () => {
  const queries = movingInQueries()

  expect([...new Set(queries.map(({ step }) => step))]).toEqual([
    'prepare',
    'check',
    'export',
    'left-behind',
    'compare',
  ])
  expect(queries.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['every_call', 'card_calls', 'balance']),
  )
  expect(queries.filter(({ sql }) => !/^(?:SELECT|CREATE|WITH)\b/.test(sql))).toEqual([])
})

/** The tables of the public schema, selenium/sqls/callshop/callshop_invoices.sql. */
const PUBLIC_TABLES = `acc_group_rights acc_groups acc_rights actions activecalls acustratedetails adactions addresses adnumbers
aratedetails backups call_details call_logs callerids callflows calls campaigns cardgroups cards cc_gmps
cc_invoices cclineitems ccorders cdr codecs common_use_providers conflines credit_notes cron_actions
cron_settings cs_invoices currencies customrates days destinationgroups destinations devicecodecs
devicegroups devicerules devices devicetypes dialplans didrates dids directions emails extlines
flatrate_data flatrate_destinations gateways groups hangupcausecodes invoicedetails invoices iplocations
ivr_action_logs ivr_actions ivr_blocks ivr_extensions ivr_sound_files ivr_timeperiods ivr_voices ivrs
lcr_partials lcrproviders lcrs locationrules locations monitorings monitorings_users payments
pbxfunctions pdffaxemails pdffaxes phonebooks providercodecs providerrules providers providertypes
quickforwarddids quickforwards_rules ratedetails rates recordings rights ringgroups ringgroups_devices
role_rights roles server_devices serverproviders servers services sms_lcrproviders sms_lcrs sms_messages
sms_providers sms_rates sms_tariffs subscriptions tariffs taxes terminators translations
user_translations usergroups users voicemail_boxes vouchers`

test('the page opens with a row for every table of the public schema', () => {
  const [overview = ''] = page.split('Contents:')
  const named = new Set([...overview.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const tables = [...PUBLIC_TABLES.split(/\s/), ...MOVED_TABLES]

  expect(tables.filter((table) => !named.has(table))).toEqual([])
  expect(overview.split('\n').filter((line) => line.startsWith('| ')).length - 2).toBeLessThanOrEqual(10)
})

const aQuery: MovingInQuery = {
  step: 'export',
  name: 'x',
  sql: 'SELECT c.id, c.`add`, o.name FROM calls c LEFT JOIN owners o ON o.id = c.owner JOIN moving_calls m ON m.x = c.id',
}

test.each([
  [
    'of information_schema',
    'TABLE_NAME\tCOLUMN_NAME\nCalls\tID\ncalls\tadd\ncalls\towner\nowners\tid\nowners\tname\n',
  ],
  [
    'of a dump',
    'CREATE TABLE `calls` (\n  `id` int,\n  `add` int,\n  `owner` int,\n  KEY `x` (`y`)\n) ENGINE=InnoDB;\nCREATE TABLE `owners` (\n  `id` int,\n  `name` int\n);\n',
  ],
])('a query stays as it is where a schema %s has all of its columns', (_case, text) => {
  expect(fitQuery(aQuery, readSchema(text) ?? new Map())).toEqual({ ...aQuery, lacking: [] })
})

test('NULL takes the place of missing columns, and a missing table is empty', () => {
  const { sql, lacking } = fitQuery(aQuery, readSchema('calls,id\ncalls,other') ?? new Map())

  expect(sql).toBe(
    'SELECT c.id, c.`add`, o.name FROM (SELECT t.*, NULL AS `add`, NULL AS `owner` FROM calls t) c ' +
      'LEFT JOIN (SELECT NULL AS `id`, NULL AS `name` FROM DUAL WHERE FALSE) o ON o.id = c.owner JOIN moving_calls m ON m.x = c.id',
  )
  expect(lacking).toEqual(['calls.add', 'calls.owner', 'owners'])
})

test.each(['', 'Field Type\n', '{"a": 1}'])('no schema: "%s"', (text) => {
  expect(readSchema(text)).toBeUndefined()
})
