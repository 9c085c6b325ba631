import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, SECRET_KEY } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

const methods = new Map((await loadFunctionFiles()).map(({ method }) => [method.name, method]))

/** The parameters that a client sends, and those that it signs, in its order. */
type Request = readonly [method: string, sent: Readonly<Record<string, string>>, signs: readonly string[]]

async function answerTo([name, sent, signs]: Request): Promise<string> {
  const method = methods.get(name)
  if (!method) throw new Error(`There is no method ${name}`)
  const world = await aWorld({ users: people })
  const signed = signs.map((parameter) => sent[parameter] ?? '').join('') + SECRET_KEY
  const hash = createHash('sha1').update(signed).digest('hex')
  return bodyOf(await world.send(method, { body: new URLSearchParams({ ...sent, hash }).toString() }))
}

const DEVICE = {
  user_id: '10',
  description: 'office',
  pin: '1234',
  type: 'SIP',
  devicegroup_id: '1',
  caller_id: '5',
}
const RULE = { device_id: '100', name: 'n', cut: '1', add: '2' }
const DAY = { from: '1', till: '2' }
const SUBSCRIPTIONS = {
  service_id: '7',
  subscription_activation_start: '1',
  subscription_activation_end: '2',
  subscription_memo: 'memo',
  subscription_until_canceled: '1',
  user_id: '10',
}

test.each<Request>([
  ['device_create', { u: 'bob', ...DEVICE }, Object.keys(DEVICE)],
  ['device_rule_create', { u: 'admin', ...RULE, pr_type: 'src' }, Object.keys(RULE)],
  ['local_calls_get', { u: 'rick', ...DAY, s_user: '20' }, ['from', 'till', 's_user']],
  ['local_calls_get', { u: 'admin', s_user: '20' }, ['from', 'till', 's_user']],
  ['credit_notes_get', { u: 'rick', credit_note_id: '9' }, ['credit_note_id']],
  ['credit_notes_get', { u: 'rick', user_id: '20' }, ['user_id']],
  ['credit_notes_get', { u: 'rick' }, []],
  ['subscriptions_get', { u: 'rick', ...SUBSCRIPTIONS }, Object.keys(SUBSCRIPTIONS)],
  ['subscriptions_get', { u: 'rick', service_id: '7', user_id: '10' }, Object.keys(SUBSCRIPTIONS)],
  ['invoices_get', { u: 'rick', ...DAY }, ['u']],
  ['invoices_get', { u: 'rick', ...DAY }, []],
  [
    'financial_statements_get',
    { u: 'rick', user_id: '20', date_from: '1' },
    ['user_id', 'date_from', 'date_till'],
  ],
  ['payments_get', { u: 'rick' }, []],
  ['tariff_rates_get', { u: 'rick' }, []],
])('%s accepts %j signed by %j', async (...request) => {
  expect(await answerTo(request)).not.toContain('Incorrect hash')
})

test.each<Request>([
  ['device_create', { u: 'bob', user_id: '10', description: 'office' }, []],
  ['device_rule_create', { u: 'admin', ...RULE }, ['name', 'cut', 'add']],
  ['local_calls_get', { u: 'rick' }, []],
  ['local_calls_get', { u: 'rick', from: '', till: '', s_user: '' }, []],
  ['local_calls_get', { u: 'rick', ...DAY, s_user: '20' }, ['from', 'till']],
  ['credit_notes_get', { u: 'rick', credit_note_id: '', user_id: '20' }, ['credit_note_id']],
  ['credit_notes_get', { u: 'rick', user_id: '20' }, []],
  ['subscriptions_get', { u: 'rick', ...SUBSCRIPTIONS }, ['user_id']],
  ['invoices_get', { u: 'rick', ...DAY }, ['from', 'till']],
  ['financial_statements_get', { u: 'rick', user_id: '20', status: 'paid' }, ['user_id']],
  ['payments_get', { u: 'rick', s_user_id: '20' }, []],
  ['tariff_rates_get', { u: 'rick', user_id: '20' }, []],
])('%s refuses %j signed by %j, since sent values are not signed', async (...request) => {
  expect(await answerTo(request)).toContain('<error>Incorrect hash</error>')
})
