import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PERMISSIONS } from '#lib/base/account-types.ts'
import { SETTINGS } from './declared-settings.ts'
import {
  isSettingName,
  maskedSetting,
  mayChangeSetting,
  mayChangeSettings,
  PAIRED_SETTINGS,
  readSettings,
  type SettingName,
  settingError,
  settingNames,
  settingsContradiction,
  settingWarning,
  startupWarning,
} from './settings.ts'

test('a blank switch has its default', () => {
  expect(readSettings({ XML_API_Extension: '', Allow_API: ' ' })).toMatchObject({
    XML_API_Extension: true,
    Allow_API: false,
  })
  expect(settingError('Allow_API', '')).toBeUndefined()
})

test('a setting without a stored value has its default', () => {
  expect(readSettings({})).toEqual({
    Allow_API: false,
    Call_Control: false,
    Reserve_Seconds: 1800,
    Hangup_Margin_Seconds: 2,
    Ring_Seconds: 300,
    Hold_Grace_Seconds: 900,
    Clock_Tolerance: 120,
    Fraud_Hour_Amount: '',
    New_Country_Rate: '',
    New_Country_Brake: false,
    Allow_GET_API: false,
    API_Disable_hash_checking: false,
    API_allow_Payments: false,
    API_allow_Registration: false,
    Default_User_Balance: '0',
    Default_User_Credit: '0',
    Default_User_Currency: '',
    Default_User_Password_length: 6,
    Default_User_Postpaid: false,
    Default_User_Tariff: undefined,
    Registration_Notice: '',
    Server_IP: '',
    Use_strong_passwords: false,
    API_Payment_Confirmation: false,
    Explain_Hashes: false,
    XML_API_Extension: true,
    API_Secret_Key: '',
    Devices_Check_Rate: false,
    Devices_Check_Balance: false,
    Balances_Without_Signature: false,
    Payments_Sign_All: false,
    Show_Active_Calls_for_Users: false,
    Allow_short_passwords_in_devices: false,
    Device_Range_MIN: 1001,
    Device_Range_MAX: 9999,
    Emergency_Numbers: '112,911',
    Device_Limit: undefined,
    Default_Currency: 'USD',
    Nice_Number_Digits: 4,
    Timezone: 'UTC',
    Free_Days: '',
    Working_Days: '',
    Queue_Log_Enabled: false,
    Default_device_type: 'SIP',
    International_Prefix: '00',
    National_Prefix: '',
    Country_Code: '',
    Shortest_Rated_Number: 5,
    Rated_Number: 'dialled',
    National_Length: '',
    Apply_Number_Rules: false,
    Feature_Codes: '',
    Rate_Incoming_Calls: false,
    Call_Owner_Order: 'account_code,device,sip_user,did,ip',
    Intake_Join_Hours: 24,
    Trusted_Login_Addresses: '',
    Balance_From: '',
    Charges_From: '',
    Invoices_From: '',
    Tariff_Versions_Days: 400,
    Max_Call_Hours: 24,
    Suspense_Days: 0,
    Wholesale_Customers: '',
    Calls_Keep_Days: undefined,
    Customer_Page: true,
    Webhooks_On_This_Machine: false,
    Mail_From: '',
    Mail_Server: '',
    Mail_User: '',
    Mail_Password: '',
    Page_Address: '',
    Stripe_Key: '',
    Stripe_Webhook_Secret: '',
    Send_Invoices: false,
    Reminder_Days: '',
    Reminder_Least: '',
    Reminder_Sentence: '',
    Late_Months: 2,
    Payment_Days: 14,
    Invoice_Number_Format: 'A-{year}-{n}',
    Credit_Note_Number_Format: 'C-{year}-{n}',
    Invoice_Rows: 'destination',
    Correct_Invoiced_Days: false,
    Payments_With_VAT: false,
    Allocate_Payments: 'off',
    Seller_Name: '',
    Seller_Address: '',
    Seller_VAT_Number: '',
    Seller_Bank: '',
    Seller_Country: '',
    Seller_Postcode: '',
    Seller_City: '',
    Seller_Contact: '',
    Seller_Telephone: '',
    Seller_Email: '',
    Seller_Electronic_Address: '',
    Seller_Legal_Number: '',
    No_VAT_Reason: '',
    Document_Paper: 'A4',
    Language: 'en',
    Journal_Receivables: '1400',
    Journal_Revenue: '8200',
    Journal_VAT: '1776',
    Journal_Bank: '1200',
    Journal_Differences: '2150',
    Journal_Prepaid: '1710',
    Journal_Adjustments: 'goodwill=8700,bad_debt=2400,bank_fee=4970,opening=9000,correction=2300',
    Journal_Invoice_Day: 'month_end',
    DATEV_Tax_Keys: '',
    DATEV_Client: '',
    Charged_From: '',
    archivedBefore: undefined,
    shards: { written: 16, asked: [16] },
    byMonthFrom: '~',
    hasLedger: false,
    subscribed: {},
  })
})

test.each(['1', 'yes', 'on', 'true', 'YES', ' On '])('%j means on', (word) => {
  expect(readSettings({ Allow_API: word }).Allow_API).toBe(true)
})

test.each(['0', 'no', 'off', 'false', 'No'])('%j means off', (word) => {
  expect(readSettings({ XML_API_Extension: word }).XML_API_Extension).toBe(false)
})

test('an invalid stored value counts as the default', () => {
  const stored = {
    Allow_API: 'perhaps',
    Device_Range_MIN: 'x',
    Timezone: 'Nowhere/Nowhere',
    API_Secret_Key: 'short',
  }

  expect(readSettings(stored)).toEqual(readSettings({}))
})

/** Other tests of the process use neither this zone nor the one below. */
test('a time zone is checked when it is first used, and once', () => {
  const check = vi.spyOn(Intl, 'DateTimeFormat')
  onTestFinished(() => check.mockRestore())

  const settings = readSettings({ Allow_API: '1', Timezone: 'Pacific/Niue' })
  expect([settings.Allow_API, check.mock.calls.length]).toEqual([true, 0])
  expect([settings.Timezone, settings.Timezone, check.mock.calls.length]).toEqual([
    'Pacific/Niue',
    'Pacific/Niue',
    1,
  ])
})

const days = (count: number) => Array(count).fill('2027-01-31').join(',')

const HINTS = 'takes some of account_code, device, sip_user, did, ip, with commas between them'
const DAYS = 'takes days such as 2027-01-31,2027-12-25, with commas between them, at most 60'
const NUMBER_FORMAT = 'takes a text such as A-{year}-{n} with one {n}, of at most 48 characters'
const ADDRESSES = 'takes IP addresses and ranges such as 192.0.2.0/24, with commas between them'

test.each([
  ['Allow_API', 'perhaps', 'takes 1 or 0, yes or no, on or off, true or false'],
  ['Device_Limit', '-1', 'takes a whole number or nothing'],
  ['Device_Limit', '1x', 'takes a whole number or nothing'],
  ['Device_Limit', '1'.repeat(16), 'takes a whole number or nothing'],
  ['Timezone', '+02:00', 'takes the IANA name of a time zone, such as Europe/Vilnius'],
  ['Timezone', 'Mars/Olympus', 'takes the IANA name of a time zone, such as Europe/Vilnius'],
  ['National_Prefix', '+', 'takes up to 10 digits or nothing'],
  ['National_Prefix', 'x1', 'takes up to 10 digits or nothing'],
  ['National_Prefix', '1x', 'takes up to 10 digits or nothing'],
  ['National_Prefix', '1'.repeat(11), 'takes up to 10 digits or nothing'],
  ['Call_Owner_Order', 'device,device', HINTS],
  ['Call_Owner_Order', '', HINTS],
  ['API_Secret_Key', '12345', 'takes at least 6 characters'],
  ['API_Secret_Key', 'x'.repeat(4001), 'takes at most 4000 characters'],
  ['Nice_Number_Digits', '16', 'takes 0 to 15'],
  ['Trusted_Login_Addresses', 'portal.example.com', ADDRESSES],
  ['Balance_From', '2026-02-30', 'takes a day such as 2027-01-31, or nothing'],
  ['Trusted_Login_Addresses', '192.0.2.1,'.repeat(401), ADDRESSES],
  ['Balance_From', '10-03-2026', 'takes a day such as 2027-01-31, or nothing'],
  ['Free_Days', '2027-01-31,2027-02-30', DAYS],
  ['Free_Days', ',', DAYS],
  ['Working_Days', days(61), DAYS],
  ['Default_User_Credit', '-0.5', 'takes an amount from 0, or -1 for no limit'],
  ['Default_User_Credit', 'x1', 'takes a decimal number or nothing'],
  ['Default_User_Credit', '1x', 'takes a decimal number or nothing'],
  ['Default_User_Credit', '1.', 'takes a decimal number or nothing'],
  ['Default_User_Balance', '1'.repeat(16), 'takes a decimal number or nothing'],
  ['Default_User_Balance', `1.${'1'.repeat(16)}`, 'takes a decimal number or nothing'],
  ['Default_User_Password_length', '5', 'takes 6 to 30'],
  ['Default_User_Password_length', '31', 'takes 6 to 30'],
  ['Calls_Keep_Days', '0', 'takes 1 to 36500, or nothing for all calls'],
  ['Calls_Keep_Days', '36501', 'takes 1 to 36500, or nothing for all calls'],
  ['Late_Months', '13', 'takes 0 to 12 months'],
  ['Payment_Days', '366', 'takes 0 to 365 days'],
  ['Invoice_Number_Format', 'A-{year}', NUMBER_FORMAT],
  ['Invoice_Number_Format', '{n}-{n}', NUMBER_FORMAT],
  ['Credit_Note_Number_Format', `{n}${'x'.repeat(46)}`, NUMBER_FORMAT],
  ['Invoice_Rows', 'number', 'takes destination, prefix, all'],
  [
    'Seller_Electronic_Address',
    '0123456749',
    'takes a scheme and an address such as 0208:0123456749 or EM:bills@example.com',
  ],
  ['Seller_Country', 'Germany', 'takes the two capital letters of a country, such as DE'],
  ['Document_Paper', 'A5', 'takes A4 or Letter'],
  ['Language', 'it', 'takes en, de, fr, es'],
] as const)('%s refuses %j', (name, value, rule) => {
  expect(settingError(name, value)).toBe(`${name} ${rule}`)
})

test.each([
  ['Allow_API', ' '],
  ['Device_Limit', ''],
  ['Device_Limit', '1'.repeat(15)],
  ['Device_Limit', '16'],
  ['National_Prefix', '1'.repeat(10)],
  ['Default_Currency', 'x'.repeat(4000)],
  ['Trusted_Login_Addresses', '192.0.2.1,'.repeat(400)],
  ['Timezone', 'Europe/Vilnius'],
  ['International_Prefix', ''],
  ['Country_Code', '370'],
  ['Call_Owner_Order', 'sip_user, account_code'],
  ['API_Secret_Key', '123456'],
  ['API_Secret_Key', ''],
  ['Nice_Number_Digits', '15'],
  ['Trusted_Login_Addresses', '192.0.2.1, 2001:db8::/32'],
  ['Balance_From', '2024-02-29'],
  ['Balance_From', ''],
  ['Free_Days', ''],
  ['Working_Days', days(60)],
  ['Default_User_Credit', '0.5'],
  ['Default_User_Credit', '-1'],
  ['Default_User_Credit', ''],
  ['Default_User_Balance', '-0.5'],
  ['Default_User_Balance', `${'1'.repeat(15)}.${'1'.repeat(15)}`],
  ['Default_User_Password_length', '6'],
  ['Default_User_Password_length', '30'],
  ['Calls_Keep_Days', '1'],
  ['Calls_Keep_Days', '36500'],
  ['Late_Months', '12'],
  ['Payment_Days', '365'],
  ['Invoice_Number_Format', `{n}${'x'.repeat(45)}`],
  ['Invoice_Rows', 'prefix'],
  ['Seller_Country', 'DE'],
  ['Seller_Electronic_Address', 'EM:bills@northwind.example'],
  ['Document_Paper', 'Letter'],
  ['Language', 'fr'],
  ['Calls_Keep_Days', ''],
  ['Page_Address', 'https://pay.example.com/prod/'],
  ['Page_Address', 'http://localhost:3000/'],
  ['Stripe_Key', 'rk_live_0123456789'],
  ['Stripe_Webhook_Secret', 'whsec_0123456789'],
] as const)('%s accepts %j', (name, value) => {
  expect(settingError(name, value)).toBeUndefined()
})

const [NO_SWITCH, NO_COUNT, NO_DIGITS, NO_AMOUNT] = ['perhaps', '1.5', '+', 'much']
const [NO_DAY, NO_NAME, TOO_LONG] = ['32.01.2026', '-', 'x'.repeat(4001)]

/** A text that is none of the kind of a setting. */
const OF_ANOTHER_KIND: Readonly<Record<SettingName, string>> = {
  Mail_From: 'Billing <billing@example.com>',
  Mail_Server: 'https://mail.example.com',
  Mail_User: TOO_LONG,
  Mail_Password: TOO_LONG,
  Page_Address: 'http://billing.example.com/',
  Stripe_Key: 'pk_test_0123456789',
  Stripe_Webhook_Secret: 'sk_test_0123456789',
  Send_Invoices: NO_SWITCH,
  Reminder_Days: '7,x',
  Reminder_Least: NO_AMOUNT,
  Reminder_Sentence: TOO_LONG,
  Call_Control: NO_SWITCH,
  Reserve_Seconds: NO_COUNT,
  Hangup_Margin_Seconds: NO_COUNT,
  Ring_Seconds: NO_COUNT,
  Hold_Grace_Seconds: NO_COUNT,
  Clock_Tolerance: NO_COUNT,
  Fraud_Hour_Amount: NO_AMOUNT,
  New_Country_Rate: NO_AMOUNT,
  New_Country_Brake: NO_SWITCH,
  Allow_API: NO_SWITCH,
  Allow_GET_API: NO_SWITCH,
  API_Disable_hash_checking: NO_SWITCH,
  Explain_Hashes: NO_SWITCH,
  XML_API_Extension: NO_SWITCH,
  Devices_Check_Rate: NO_SWITCH,
  Devices_Check_Balance: NO_SWITCH,
  Balances_Without_Signature: NO_SWITCH,
  Payments_Sign_All: NO_SWITCH,
  Show_Active_Calls_for_Users: NO_SWITCH,
  API_allow_Payments: NO_SWITCH,
  API_Payment_Confirmation: NO_SWITCH,
  API_allow_Registration: NO_SWITCH,
  Default_User_Postpaid: NO_SWITCH,
  Use_strong_passwords: NO_SWITCH,
  Allow_short_passwords_in_devices: NO_SWITCH,
  Queue_Log_Enabled: NO_SWITCH,
  Rate_Incoming_Calls: NO_SWITCH,
  Apply_Number_Rules: NO_SWITCH,
  Default_User_Tariff: NO_COUNT,
  Default_User_Password_length: NO_COUNT,
  Device_Range_MIN: NO_COUNT,
  Device_Range_MAX: NO_COUNT,
  Device_Limit: NO_COUNT,
  Nice_Number_Digits: NO_COUNT,
  Shortest_Rated_Number: NO_COUNT,
  Tariff_Versions_Days: NO_COUNT,
  Intake_Join_Hours: NO_COUNT,
  Max_Call_Hours: NO_COUNT,
  Suspense_Days: NO_COUNT,
  Calls_Keep_Days: NO_COUNT,
  Customer_Page: NO_SWITCH,
  Webhooks_On_This_Machine: NO_SWITCH,
  Late_Months: NO_COUNT,
  Payment_Days: NO_COUNT,
  Correct_Invoiced_Days: NO_SWITCH,
  Payments_With_VAT: NO_SWITCH,
  Allocate_Payments: 'newest',
  Invoice_Number_Format: TOO_LONG,
  Credit_Note_Number_Format: TOO_LONG,
  Invoice_Rows: TOO_LONG,
  Seller_Name: TOO_LONG,
  Seller_Address: TOO_LONG,
  Seller_VAT_Number: TOO_LONG,
  Seller_Bank: TOO_LONG,
  Seller_Country: TOO_LONG,
  Seller_Postcode: TOO_LONG,
  Seller_City: TOO_LONG,
  Seller_Contact: TOO_LONG,
  Seller_Telephone: TOO_LONG,
  Seller_Email: TOO_LONG,
  Seller_Electronic_Address: TOO_LONG,
  Seller_Legal_Number: TOO_LONG,
  No_VAT_Reason: TOO_LONG,
  Document_Paper: TOO_LONG,
  Language: TOO_LONG,
  Journal_Receivables: TOO_LONG,
  Journal_Revenue: TOO_LONG,
  Journal_VAT: TOO_LONG,
  Journal_Bank: TOO_LONG,
  Journal_Differences: TOO_LONG,
  Journal_Prepaid: TOO_LONG,
  Journal_Adjustments: TOO_LONG,
  Journal_Invoice_Day: 'day',
  DATEV_Tax_Keys: 'nineteen=3',
  DATEV_Client: TOO_LONG,
  International_Prefix: NO_DIGITS,
  National_Prefix: NO_DIGITS,
  Country_Code: NO_DIGITS,
  Default_User_Credit: NO_AMOUNT,
  Default_User_Balance: NO_AMOUNT,
  Free_Days: NO_DAY,
  Working_Days: NO_DAY,
  Balance_From: NO_DAY,
  Charges_From: NO_DAY,
  Invoices_From: NO_DAY,
  API_Secret_Key: TOO_LONG,
  Rated_Number: NO_NAME,
  National_Length: NO_NAME,
  Feature_Codes: '*1*2*',
  Default_User_Currency: TOO_LONG,
  Server_IP: TOO_LONG,
  Registration_Notice: TOO_LONG,
  Emergency_Numbers: TOO_LONG,
  Default_Currency: TOO_LONG,
  Default_device_type: TOO_LONG,
  Timezone: NO_NAME,
  Call_Owner_Order: NO_NAME,
  Wholesale_Customers: '10:2026-12-32',
  Trusted_Login_Addresses: NO_NAME,
}

test.each(settingNames)(
  '%s refuses a text of another kind, and a stored one counts as the default',
  (name) => {
    expect(settingError(name, OF_ANOTHER_KIND[name])).toContain(name)
    expect(readSettings({ [name]: OF_ANOTHER_KIND[name] })).toEqual(readSettings({}))
  },
)

test('while Balance_From changes, calls are charged from the new day', () => {
  const settings = readSettings({ Balance_From: '2026-03-10', Balance_Opening: '2026-03-01' })

  expect([settings.Balance_From, settings.Charged_From]).toEqual(['2026-03-10', '2026-03-01'])
  expect(readSettings({ Balance_From: '2026-03-10', Balance_Opening: '' }).Charged_From).toBe('')
  expect(readSettings({ Balance_From: '2026-03-10' }).Charged_From).toBe('2026-03-10')
})

test('the archive’s day and the numbers of partitions stand beside the settings', () => {
  const stored = {
    calls_archived_before: '2026-01-01',
    shards: [2, 4],
    shards_next: 8,
    calls_by_month_from: '2026-02-01',
  }

  expect(readSettings(stored)).toMatchObject({
    archivedBefore: '2026-01-01',
    shards: { written: 4, asked: [2, 4, 8] },
    byMonthFrom: '2026-02-01',
  })
})

test.each([
  ['1001', '9999', undefined],
  ['5', '5', undefined],
  ['', '5', undefined],
  ['5', '', undefined],
  ['6', '5', 'Device_Range_MIN, 6, is above Device_Range_MAX, 5'],
])('the range from %j to %j', (Device_Range_MIN, Device_Range_MAX, problem) => {
  expect(settingsContradiction(readSettings({ Device_Range_MIN, Device_Range_MAX }))).toBe(problem)
})

test.each([
  ['', undefined],
  [
    'x'.repeat(23),
    'API_Secret_Key has fewer than 24 characters: anyone who sees one signed request can guess it offline',
  ],
  ['x'.repeat(24), undefined],
])('the warning about the key %j', (key, warning) => {
  expect(settingWarning('API_Secret_Key', key)).toEqual(warning)
})

test('only a short key is warned about', () => {
  expect(settingWarning('Default_Currency', 'USD')).toBeUndefined()
})

test('settings are known by their own names only', () => {
  expect(settingNames.every(isSettingName)).toBe(true)
  expect(['toString', 'allow_api', ''].filter(isSettingName)).toEqual([])
})

test('the values of switches, numbers and texts are typed', () => {
  expect(readSettings({ Device_Limit: '7', Country_Code: '370', Allow_API: 1 })).toMatchObject({
    Device_Limit: 7,
    Country_Code: '370',
    Allow_API: false,
  })
})

test('the two ends of the range depend on each other', () => {
  expect(PAIRED_SETTINGS).toEqual({
    Device_Range_MIN: 'Device_Range_MAX',
    Device_Range_MAX: 'Device_Range_MIN',
  })
})

test.each([
  ['an admin', 'admin', '', true],
  ['an accountant', 'accountant', '', false],
  ['a permission among others', 'reseller', 'api_calls,api_settings', true],
  ['a permission after spaces and commas', 'reseller', 'api_calls, \tapi_settings', true],
  ['a permission that only begins alike', 'reseller', 'api_settings_read', false],
] as const)('whether an account may change settings: %s', (_case, usertype, permissions, may) => {
  expect(mayChangeSettings({ id: 5, owner_id: 0, usertype, permissions })).toBe(may)
})

test('SECURITY.md has a row for each permission, and names what api_settings does not include', () => {
  const page = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8')
  const rowOf = (permission: string) =>
    page.split('\n').find((line) => line.startsWith(`| the permission \`${permission}\` |`))

  for (const permission of PERMISSIONS) expect(rowOf(permission)).toBeDefined()
  const named = [...(rowOf('api_settings')?.matchAll(/`([A-Z]\w+)`/g) ?? [])].map(([, name]) => name)
  const alice = { id: 1, owner_id: 0, usertype: 'accountant', permissions: 'api_settings' } as const
  expect(named.sort()).toEqual(settingNames.filter((name) => !mayChangeSetting(alice, name)).sort())
})

test('an admin under a reseller may not change settings', () => {
  expect(mayChangeSettings({ id: 5, owner_id: 2, usertype: 'admin', permissions: '' })).toBe(false)
})

test('a process warns when hashes are not checked', () => {
  expect(startupWarning(readSettings({ API_Disable_hash_checking: '1' }))).toBe(
    'API_Disable_hash_checking is on: anyone who knows a username can call on its behalf',
  )
  expect(startupWarning(readSettings({}))).toBeUndefined()
})

test('only the secret key is masked, unless it is blank', () => {
  expect(maskedSetting('API_Secret_Key', 'secret')).toBe('********')
  expect(maskedSetting('API_Secret_Key', '')).toBe('')
  expect(maskedSetting('Default_Currency', 'USD')).toBe('USD')
})

test('a time zone is checked once, however often the settings are read', () => {
  const check = vi.spyOn(Intl, 'DateTimeFormat')
  onTestFinished(() => check.mockRestore())

  for (let time = 0; time < 3; time += 1)
    expect(readSettings({ Timezone: 'Antarctica/Troll' }).Timezone).toBe('Antarctica/Troll')

  expect(check).toHaveBeenCalledTimes(1)
})

test('a zone that was stored as an offset is still read', () => {
  expect(readSettings({ Timezone: '+02:00' }).Timezone).toBe('+02:00')
})

test('each setting has its title and a sentence, and takes its default', () => {
  for (const name of settingNames) {
    const { title, says, default: byDefault } = SETTINGS[name]
    expect([title, says], name).toEqual([expect.stringMatching(/^[A-Z]/), expect.stringMatching(/\.$/)])
    expect(settingError(name, byDefault), name).toBeUndefined()
  }
})
