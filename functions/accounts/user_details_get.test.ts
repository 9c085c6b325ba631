import { expect, test } from 'vitest'
import { people } from '#test/examples/examples.ts'
import { aWorld, bodyOf, signedForm } from '#test/world.ts'
import { method } from './user_details_get.ts'

const BOB = {
  first_name: 'Bob & Co',
  email: 'Bob@example.com',
  clientid: 'C-10',
  company_name: 'Brown',
  agreement_number: 'A-10',
  agreement_date: '2026-01-31',
  taxation_country: '80',
  vat_number: 'GB10',
  vat_percent: '18',
  daily_balance_limit: '5',
  hidden: '1',
  postpaid: '0',
  credit: '0',
  address: '1 Quay',
  postcode: 'TR18',
  city: 'Penzance',
  county: 'Penwith',
  state: 'Cornwall',
  country_id: '80',
  phone: '441',
  mob_phone: '447',
  fax: '442',
}

const aWorldWithBob = (settings = {}) =>
  aWorld(
    {
      users: people.map((person) =>
        person.username === 'bob' ? { ...person, ...BOB, balance: '-12.5', tariff_id: '1' } : person,
      ),
      tariffs: [{ id: '1', name: 'Retail', purpose: 'retail', currency: 'USD', owner_id: '0' }],
    },
    settings,
  )

test('admin sees every detail of a customer', async () => {
  const world = await aWorldWithBob({ Balance_From: '2026-03-01' })

  expect(await world.call(method, 'admin', { user_id: 10 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><pagename>Personal_details</pagename><language>en</language>' +
      '<userid>10</userid><details><main_detail><account>Prepaid</account><balance>-12.5000 USD</balance>' +
      '<balance_number>-12.5000</balance_number><balance_currency>USD</balance_currency>' +
      '<daily_balance_limit>5.0000</daily_balance_limit><credit>0.0000</credit><pbx_pool_id/><blocked>0</blocked>' +
      '<hidden>1</hidden><tariff_id>1</tariff_id></main_detail><other_details><username>bob</username>' +
      '<first_name>Bob &amp; Co</first_name><surname>Brown</surname><company_name>Brown</company_name>' +
      '<personalid>C-10</personalid><agreement_number>A-10</agreement_number><agreement_date>2026-01-31</agreement_date>' +
      '<taxation_country>80</taxation_country><vat_reg_number>GB10</vat_reg_number><vat_percent>18.0</vat_percent>' +
      '</other_details><registration><reg_address>1 Quay</reg_address><reg_postcode>TR18</reg_postcode>' +
      '<reg_city>Penzance</reg_city><reg_country>Penwith</reg_country><reg_state>Cornwall</reg_state>' +
      '<reg_direction>80</reg_direction><reg_phone>441</reg_phone><reg_mobile>447</reg_mobile><reg_fax>442</reg_fax>' +
      '<reg_email>Bob@example.com</reg_email></registration></details></page>',
  )
})

test('what is not stored is an empty element, and unlimited credit a word', async () => {
  const document = await (await aWorldWithBob()).call(method, 'admin', { username: 'carol' })

  expect(document).toContain(
    '<account>Postpaid</account><balance/><balance_number/><balance_currency>USD</balance_currency>' +
      '<daily_balance_limit/><credit>Unlimited</credit><pbx_pool_id/><blocked>0</blocked><hidden>0</hidden><tariff_id/>',
  )
  expect(document).toContain('<vat_percent/></other_details><registration><reg_address/>')
})

test('a plain user sees itself, without its tariff', async () => {
  const document = await (await aWorldWithBob()).call(method, 'bob', { user_id: 10, username: 'bob' })

  expect(document).toContain('<userid>10</userid>')
  expect(document).toContain('<credit>0.0000</credit><blocked>0</blocked><hidden>1</hidden></main_detail>')
})

test.each([
  ['admin', 20],
  ['admin', 0],
  ['alice', 20],
  ['alice', 1],
  ['rick', 20],
  ['rick', 2],
  ['pat', 40],
])('%s sees account %i', async (caller, user_id) => {
  expect(await (await aWorldWithBob()).call(method, caller, { user_id })).toContain(
    `<userid>${user_id}</userid>`,
  )
})

test.each([
  ['nobody', undefined, { user_id: 10 }, 'Access Denied'],
  ['a blocked account', 'ben', { user_id: 11 }, 'Access Denied'],
  ['another customer', 'bob', { user_id: 20 }, 'User was not found'],
  ["admin's customer to a reseller", 'rick', { user_id: 10 }, 'User was not found'],
  ["a reseller's customer to a partner", 'pat', { user_id: 20 }, 'User was not found'],
  ['admin to its accountant', 'alice', { user_id: 0 }, 'User was not found'],
  ['nobody in particular', 'admin', {}, 'User was not found'],
  ['an unknown account', 'admin', { user_id: 12345 }, 'User was not found'],
  ['a name in another case', 'admin', { username: 'Bob' }, 'User was not found'],
  ['two accounts at once', 'admin', { user_id: 10, username: 'carol' }, 'User was not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithBob()

  expect(await world.callInVain(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test.each([
  ['the id', { user_id: '123' }, 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
  ['the name', { username: 'username' }, '17ab579bbc0618f886ffa513310439562dbe6a61'],
  ['both', { user_id: '123', username: 'username' }, 'd5b0cf9d3719b5c1fd926ede81c4da86463912f1'],
])('the vector over %s is a signature', async (_what, sent, hash) => {
  const world = await aWorldWithBob({ API_Secret_Key: '456789' })
  const body = new URLSearchParams({ u: 'admin', ...sent, hash }).toString()

  expect(bodyOf(await world.send(method, { body }))).toContain('<error>User was not found</error>')
})

test('the details of an account cost at most six units in two trips', async () => {
  const world = await aWorldWithBob({ Balance_From: '2026-03-01' })
  await world.send(method, { body: signedForm(method, { u: 'admin', user_id: 10 }) })

  expect(world.log.at(-1)).toMatchObject({ round_trips: 2, write_units: 0, read_units: 5 })
})
