import { expect, test } from 'vitest'
import { readSettings, settingError, settingsContradiction, settingWarning } from './settings.ts'

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
    Allow_GET_API: false,
    API_Disable_hash_checking: false,
    Explain_Hashes: false,
    XML_API_Extension: true,
    API_Secret_Key: '',
    Devices_Check_Rate: false,
    Show_Active_Calls_for_Users: false,
    Allow_short_passwords_in_devices: false,
    Device_Range_MIN: 1001,
    Device_Range_MAX: 9999,
    Emergency_Numbers: '112,911',
    Device_Limit: undefined,
    Default_Currency: 'USD',
    Nice_Number_Digits: 4,
    Timezone: 'UTC',
    Queue_Log_Enabled: false,
    Default_device_type: 'SIP',
    International_Prefix: '00',
    National_Prefix: '',
    Country_Code: '',
    Call_Owner_Order: 'account_code,device,sip_user,did,ip',
    Intake_Join_Hours: 24,
    Trusted_Login_Addresses: '',
    Tariff_Versions_Days: 400,
    Suspense_Days: 0,
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

test.each([
  ['Allow_API', 'perhaps', /takes 1 or 0/],
  ['Device_Limit', '-1', /whole number/],
  ['Timezone', 'Mars/Olympus', /IANA/],
  ['National_Prefix', '+', /digits/],
  ['Call_Owner_Order', 'device,device', /some of account_code/],
  ['Call_Owner_Order', '', /some of account_code/],
  ['API_Secret_Key', '12345', /at least 6 characters/],
  ['Nice_Number_Digits', '16', /0 to 15/],
  ['Trusted_Login_Addresses', 'portal.example.com', /IP addresses/],
] as const)('%s refuses %j', (name, value, why) => {
  expect(settingError(name, value)).toMatch(why)
})

test.each([
  ['Device_Limit', ''],
  ['Timezone', 'Europe/Vilnius'],
  ['International_Prefix', ''],
  ['Country_Code', '370'],
  ['Call_Owner_Order', 'sip_user, account_code'],
  ['API_Secret_Key', '123456'],
  ['API_Secret_Key', ''],
  ['Nice_Number_Digits', '15'],
  ['Trusted_Login_Addresses', '192.0.2.1, 2001:db8::/32'],
] as const)('%s accepts %j', (name, value) => {
  expect(settingError(name, value)).toBeUndefined()
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
  ['x'.repeat(23), expect.stringContaining('fewer than 24 characters')],
  ['x'.repeat(24), undefined],
])('the warning about the key %j', (key, warning) => {
  expect(settingWarning('API_Secret_Key', key)).toEqual(warning)
})
