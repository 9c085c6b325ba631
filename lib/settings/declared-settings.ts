import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'
import { isWholesaleList } from '#lib/base/shards.ts'
import { CALL_OWNER_HINTS } from '#lib/base/switch-names.ts'
import {
  ELECTRONIC_ADDRESS,
  ELECTRONIC_ADDRESS_FORM,
  NUMBER_FORMAT,
  NUMBER_FORMAT_FORM,
} from './document-formats.ts'
import type { SETTING_KINDS, SettingRule } from './setting-kinds.ts'

/**
 * A setting: the kind decides how its text is read, `title` and `says` explain it to people. `isValid`
 * and `rule` are about values that are not blank.
 */
export interface Setting extends Partial<SettingRule> {
  readonly kind: keyof typeof SETTING_KINDS
  readonly title: string
  readonly says: string
  readonly default: string
  /** The words of a choice. */
  readonly choices?: readonly string[]
  /** The kind of its values, which a form offers. */
  readonly of?: 'currencies' | 'tariffs' | 'countries' | 'zones'
  /** Several values with commas between them. */
  readonly isList?: true
  /** The value is never printed or logged. */
  readonly masked?: true
  /** It decides who may call the API as whom, or reach this machine: a permission does not include it. */
  readonly forAdmins?: true
}

type More = Partial<Omit<Setting, 'kind' | 'title' | 'says' | 'default'>>

const declaring =
  <K extends Setting['kind']>(kind: K) =>
  (title: string, says: string, byDefault = '', more: More = {}): Setting & { readonly kind: K } => ({
    ...more,
    ...{ kind, title, says, default: byDefault },
  })

const text = declaring('text')
const whole = declaring('whole number')
const digits = declaring('digits')
const amount = declaring('amount')
const day = declaring('day')
const days = declaring('days')

const toggle = (title: string, says: string, byDefault: 'on' | 'off' = 'off', more: More = {}) =>
  declaring('switch')(title, says, byDefault, more)

/** Off by default, and changed by admins only. */
const guarded = (title: string, says: string) => toggle(title, says, 'off', { forAdmins: true })

/** One of these words; the first one by default. */
const choice = (title: string, says: string, choices: readonly string[]) =>
  declaring('choice')(title, says, choices[0], {
    ...takes(choices.join(choices.length > 2 ? ', ' : ' or '), (value) => choices.includes(value)),
    choices,
  })

const takes = (what: string, isValid: SettingRule['isValid']): SettingRule => ({
  isValid,
  rule: `takes ${what}`,
})

const matching = (form: RegExp, what: string): SettingRule => takes(what, (value) => form.test(value))

const between = (least: number, most: number, unit = ''): SettingRule =>
  takes(`${least} to ${most}${unit}`, (value) => Number(value) >= least && Number(value) <= most)

const seconds = (least: number, most: number): SettingRule => between(least, most, ' seconds')

const FROM_ZERO = takes('an amount from 0, or nothing', (value) => !value.startsWith('-'))

const everyItem = (form: RegExp, what: string): SettingRule =>
  takes(what, (value) => value.split(',').every((item) => form.test(item.trim())))

const accounts = (title: string, says: string, byDefault: string) => text(title, says, byDefault, ACCOUNTS)

const ACCOUNTS = everyItem(/^(.*=)?[\w.-]{1,20}$/, 'an account, or several such as cash=1000,1200')

/** Each one multiplies the time in which a code is compared with a dialled text. */
const hasFewWildcards = (code: string): boolean => code.replace(/\\./g, '').split('*').length <= 3

/** A hundred years. */
const MAX_KEEP_DAYS = 36_500

/** The minimum length of a secret key (wire.md 6.2). */
export const MIN_KEY_LENGTH = 6

const SECRET: More = { masked: true, forAdmins: true }

const COMPANY = {
  Seller_Name: text('Company', 'The seller on your documents.'),
  Seller_Address: text('Address', 'Below the company on documents.'),
  Seller_Postcode: text('Postcode', 'Before the city on documents.'),
  Seller_City: text('City', 'Below the address on documents.'),
  Seller_Country: text('Country', 'Blank: the country of the VAT number.', '', {
    ...matching(/^[A-Z]{2}$/, 'the two capital letters of a country, such as DE'),
    of: 'countries',
  }),
  Seller_VAT_Number: text('VAT number', 'Printed on documents.'),
  No_VAT_Reason: text('Reason for no VAT', 'A sentence on documents without VAT, such as Reverse charge.'),
  Seller_Bank: text('Bank account', 'Where customers pay, printed on invoices.'),
  Seller_Contact: text('Contact', 'A person or a department, named in e-invoices.'),
  Seller_Telephone: text('Telephone', 'The telephone of the contact, in e-invoices.'),
  Seller_Email: text('Email', 'The email of the contact, in e-invoices.'),
  Seller_Electronic_Address: text(
    'Electronic address',
    'Your own in e-invoices, such as 0208:0123456749.',
    '',
    matching(ELECTRONIC_ADDRESS, ELECTRONIC_ADDRESS_FORM),
  ),
  Seller_Legal_Number: text('Legal number', 'In the register of companies, in e-invoices.'),
  Language: choice(
    'Language of customers',
    'For accounts without a language of their own.',
    CUSTOMER_LANGUAGES,
  ),
  Document_Paper: choice('Paper', 'The size of PDFs.', ['A4', 'Letter']),
  Default_Currency: text('Currency', 'For all sums, balances and reports.', 'USD', { of: 'currencies' }),
  Timezone: declaring('time zone')('Time zone', 'For all times and days.', 'UTC', { of: 'zones' }),
  Customer_Page: toggle(
    'Page of customers',
    'Customers who sign in here see their money, calls and devices.',
    'on',
  ),
}

const BILLING = {
  Balance_From: day('Balances from', 'The day from which calls and payments count. Blank: no balances.'),
  Charges_From: day('Subscriptions from', 'The day from which subscriptions are charged. Blank: never.'),
  Invoices_From: day('Invoices from', 'The day from which months are invoiced. Blank: never.'),
  Payment_Days: whole(
    'Days to pay',
    'From the issue of an invoice until it is due.',
    '14',
    between(0, 365, ' days'),
  ),
  Invoice_Number_Format: text(
    'Invoice numbers',
    '{n} counts from 1, {year} is the year of issue.',
    'A-{year}-{n}',
    matching(NUMBER_FORMAT, NUMBER_FORMAT_FORM),
  ),
  Credit_Note_Number_Format: text(
    'Credit note numbers',
    '{n} counts from 1, {year} is the year of issue.',
    'C-{year}-{n}',
    matching(NUMBER_FORMAT, NUMBER_FORMAT_FORM),
  ),
  Invoice_Rows: choice('Rows of an invoice', 'Calls share a row by destination, by prefix, or all of them.', [
    'destination',
    'prefix',
    'all',
  ]),
  Late_Months: whole(
    'Late calls',
    'The earlier months whose late calls an invoice still bills.',
    '2',
    between(0, 12, ' months'),
  ),
  Correct_Invoiced_Days: toggle(
    'Correct invoiced days',
    'Corrections may change invoiced calls; the next invoice bills the difference.',
  ),
  Payments_With_VAT: toggle(
    'Payments include VAT',
    "A payment that names no invoice books its amount without the account's VAT.",
  ),
  Allocate_Payments: choice(
    'Allocate payments',
    'oldest: the unassigned amount of a payment pays the oldest open invoices. off: by hand.',
    ['off', 'oldest'],
  ),
  Reminder_Days: text(
    'Reminders',
    'Days after the due day at which the levels of reminders are reached. Blank: no reminders.',
    '',
    matching(/^\d{1,3}(,\d{1,3}){0,2}$/, 'up to three numbers of days, such as 7,21,35'),
  ),
  Reminder_Least: amount('Least reminder', 'Less is not reminded of. Blank: everything is.', '', FROM_ZERO),
  Reminder_Sentence: text('Sentence of reminders', 'Such as what your law says about late payment.'),
  Send_Invoices: toggle('Send invoices', 'Documents are mailed to their customers when they are issued.'),
  Calls_Keep_Days: whole('Keep calls', 'Days after which calls are archived. Blank: never.', '', {
    ...between(1, MAX_KEEP_DAYS, ', or nothing for all calls'),
  }),
}

/** One address, without a name. */
export const isMailAddress = (value: string): boolean => /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,255}$/.test(value)

/** A name or an address, and perhaps a port. */
export const MAIL_SERVER = /^([A-Za-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(\d{1,5}))?$/

const MAIL = {
  Mail_From: text('Sender', 'The address that mails come from. Blank: no mails.', '', {
    ...takes('one mail address, such as billing@example.com', isMailAddress),
    forAdmins: true,
  }),
  Mail_Server: text('Mail server', 'On one machine. A stage in AWS sends by SES.', '', {
    ...matching(MAIL_SERVER, 'a mail server and perhaps its port, such as mail.example.com:465'),
    forAdmins: true,
  }),
  Mail_User: text('User', 'The name at the mail server. Blank: it asks for none.', '', { forAdmins: true }),
  Mail_Password: text('Password', 'The password at the mail server.', '', SECRET),
}

const CARDS = {
  Page_Address: text('Address of the page', 'Where customers sign in.', '', {
    ...matching(/^(https:\/\/|http:\/\/localhost[:/])[^\s?#]{0,200}\/$/, 'an https address that ends in /'),
    forAdmins: true,
  }),
  Stripe_Key: text('Key of Stripe', 'For payments by card.', '', {
    ...matching(/^[rs]k_(test|live)_\w{8,240}$/, 'a key that begins with sk_ or rk_'),
    ...SECRET,
  }),
  Stripe_Webhook_Secret: text('Signing secret', 'The secret of the webhook to /stripe.', '', {
    ...matching(/^whsec_[\w+/=]{8,240}$/, 'a secret that begins with whsec_'),
    ...SECRET,
  }),
}

const BOOKKEEPING = {
  Journal_Receivables: accounts(
    'Receivables',
    'The account that the journal of a month books invoices to.',
    '1400',
  ),
  Journal_Revenue: accounts(
    'Revenue',
    'The accounts of net amounts, by kind and VAT percent if wanted: calls=8401,/0=8336,8400.',
    '8200',
  ),
  Journal_VAT: accounts('VAT', 'The accounts of VAT, by percent if wanted.', '1776'),
  Journal_Bank: accounts('Bank', 'The accounts of payments, by their type if wanted.', '1200'),
  Journal_Differences: accounts('Differences', 'The account of differences between exchange rates.', '2150'),
  Journal_Prepaid: accounts('Prepaid', 'The account of customer credit that no payment has brought.', '1710'),
  Journal_Adjustments: accounts(
    'Adjustments',
    'The accounts of adjustments by kind: goodwill, bad_debt, bank_fee, opening, correction.',
    'goodwill=8700,bad_debt=2400,bank_fee=4970,opening=9000,correction=2300',
  ),
  Journal_Invoice_Day: choice(
    'Day of invoices',
    'month_end: posted on the last day of the month that they bill. issue: on their own day.',
    ['month_end', 'issue'],
  ),
  DATEV_Client: text('DATEV', 'The numbers of the tax adviser and the client, such as 29098/55003.'),
  DATEV_Tax_Keys: text(
    'Tax keys',
    'The keys of revenue in a batch for DATEV, by VAT percent: 19=3,7=2.',
    '',
    everyItem(/^([\d.]+=)?\d{1,4}$/, 'a tax key, or several by VAT percent such as 19=3,7=2'),
  ),
}

const NUMBERS = {
  Country_Code: digits('Country code', 'Put in place of the national prefix.'),
  National_Prefix: digits('National prefix', 'Cut from a number before it is priced.'),
  International_Prefix: digits('International prefix', 'Cut from a number before it is priced.', '00'),
  National_Length: text(
    'National lengths',
    'Lengths of numbers that get Country_Code, such as 9,10; with Rated_Number carrier.',
    '',
    {
      ...matching(/^\d{1,2}(,\d{1,2})*$/, 'lengths of national numbers, such as 10 or 9,10, or 0 for none'),
      isList: true,
    },
  ),
  Shortest_Rated_Number: whole('Shortest number', 'Fewer digits are priced by a full match only.', '5'),
  Rated_Number: choice(
    'Priced number',
    'dialled: as the customer dialled it. carrier: as the carrier got it.',
    ['dialled', 'carrier'],
  ),
  Apply_Number_Rules: toggle(
    'Apply number rules',
    'Rules of devices and locations change a number before pricing; with Rated_Number carrier.',
  ),
  Feature_Codes: text(
    'Feature codes',
    'Codes that cost nothing: ? is a digit, * any text, \\* the star.',
    '',
    {
      ...takes(
        'codes with blanks between them: ? is a digit, * any text (at most twice in a code), \\* the star',
        (value) => value.split(/[\s,]/).every(hasFewWildcards),
      ),
      isList: true,
    },
  ),
  Emergency_Numbers: text(
    'Emergency numbers',
    'Calls to them cost nothing and are never refused.',
    '112,911',
    { isList: true },
  ),
  Rate_Incoming_Calls: toggle('Price incoming calls', 'Off: receiving costs nothing.'),
  Free_Days: days('Holidays', 'Days that are priced as weekends: at most 60.'),
  Working_Days: days('Working weekends', 'Saturdays and Sundays that are priced as weekdays.'),
  Tariff_Versions_Days: whole(
    'Keep tariff versions',
    'Days after a version was last in force. The last ten are always kept.',
    '400',
  ),
}

const SWITCHES = {
  Call_Owner_Order: declaring('order of hints')(
    'Finding the customer',
    'The order in which a CDR is looked up.',
    CALL_OWNER_HINTS.join(','),
    { choices: CALL_OWNER_HINTS },
  ),
  Intake_Join_Hours: whole('Wait for events', 'Hours that the events of one call may come apart.', '24'),
  Max_Call_Hours: whole('Longest call', 'Hours; a longer call is suspended. 0: no limit.', '24'),
  Suspense_Days: whole('Keep suspended CDRs', 'Days until one is removed permanently. 0: never.', '0'),
  Wholesale_Customers: text(
    'Wholesale customers',
    'Customers with over 500 CDRs a second, and the days from which their lists have four partitions: 10:2027-01-31.',
    '',
    {
      ...takes('ids of up to 10 customers with their first days, such as 10:2027-01-31', isWholesaleList),
      isList: true,
    },
  ),
}

const CALL_CONTROL = {
  Call_Control: toggle('Control of calls', 'Switches ask whether a call may begin, and for how long.'),
  Reserve_Seconds: whole(
    'Money held for',
    'Seconds of a call whose price is held.',
    '1800',
    seconds(1, 86_400),
  ),
  Hangup_Margin_Seconds: whole(
    'Hang up earlier by',
    'Seconds before the money is used up.',
    '2',
    seconds(0, 60),
  ),
  Ring_Seconds: whole('Longest ring', 'Seconds.', '300', seconds(0, 3600)),
  Hold_Grace_Seconds: whole(
    'Wait for the CDR',
    'Seconds after a call until its hold may be dropped.',
    '900',
    seconds(0, 2_592_000),
  ),
  Clock_Tolerance: whole(
    'Clocks may differ by',
    'Seconds between the clock of a switch and this one.',
    '120',
    seconds(0, 900),
  ),
  Fraud_Hour_Amount: amount(
    'Fraud: amount of an hour',
    'More of a customer to one country in an hour is reported if it is unusual. Blank: not watched.',
    '',
    FROM_ZERO,
  ),
  New_Country_Rate: amount(
    'Fraud: rate of a new country',
    'A first call to a country at a higher rate a minute is reported. Blank: not watched.',
    '',
    FROM_ZERO,
  ),
  New_Country_Brake: toggle(
    'Refuse new countries',
    'Switches refuse such a call: see Known countries of an account.',
  ),
}

const CUSTOMERS = {
  API_allow_Registration: toggle('Registration', 'Strangers may open an account.'),
  Default_User_Tariff: whole('Tariff of new customers', 'For accounts that register.', '', { of: 'tariffs' }),
  Default_User_Credit: amount(
    'Credit of new customers',
    'For accounts that register. -1: without limit.',
    '0',
    {
      ...takes('an amount from 0, or -1 for no limit', (value) => value === '-1' || !value.startsWith('-')),
    },
  ),
  Default_User_Balance: amount(
    'Opening balance',
    'For accounts that register, booked as a payment of the type Initial balance.',
    '0',
  ),
  Default_User_Postpaid: toggle('New customers are postpaid', 'For accounts that register.'),
  Default_User_Currency: text('Currency of new customers', 'Blank: the default currency.', '', {
    of: 'currencies',
  }),
  Server_IP: text('Address of the switch', 'Printed to accounts that register.'),
  Registration_Notice: text('Notice', 'Printed to accounts that register.'),
  Default_User_Password_length: whole('Shortest password', 'Characters, 6 to 30.', '6', between(6, 30)),
  Use_strong_passwords: toggle(
    'Strong passwords',
    'A new password needs a digit, a capital and a small letter.',
  ),
  Trusted_Login_Addresses: declaring('addresses')(
    'Portals',
    'Addresses and ranges (192.0.2.0/24) that log customers in without a limit of their own.',
    '',
    { forAdmins: true },
  ),
  Show_Active_Calls_for_Users: toggle('Customers see calls in progress', 'Each its own.'),
  Device_Limit: whole('Maximum devices', 'In the installation. Blank: no limit.'),
  Device_Range_MIN: whole('First extension', 'For devices that name none.', '1001'),
  Device_Range_MAX: whole('Last extension', 'For devices that name none.', '9999'),
  Default_device_type: text('Type of devices', 'For devices that name none.', 'SIP'),
  Allow_short_passwords_in_devices: toggle('Short secrets', 'Devices may have fewer than 8 characters.'),
}

const DEVELOPERS = {
  Allow_API: toggle('API', 'Programs may call the signed API.'),
  Allow_GET_API: guarded('API by GET', 'Parameters may stand in the address, where logs keep them.'),
  API_Secret_Key: text(
    'Secret key',
    'Programs sign with it. A change locks out those that have the old one.',
    '',
    {
      ...takes(`at least ${MIN_KEY_LENGTH} characters`, ({ length }) => length >= MIN_KEY_LENGTH),
      ...SECRET,
    },
  ),
  API_Disable_hash_checking: guarded('No signatures', 'Insecure: anybody may call the API.'),
  XML_API_Extension: toggle(
    'Answers as XML',
    'Off: answers say that they are HTML, as old clients expect.',
    'on',
  ),
  Nice_Number_Digits: whole('Decimals', 'In amounts that programs read.', '4', between(0, 15)),
  Devices_Check_Rate: toggle('Prices by API', 'Opens rate_get.'),
  Devices_Check_Balance: toggle('Balances by API', 'Opens the methods that answer a balance only.'),
  Balances_Without_Signature: guarded(
    'Balances for anybody',
    'Insecure: anybody reads a balance by extension or uniquehash.',
  ),
  API_allow_Payments: toggle('Payments by API', 'Opens payment_create.'),
  API_Payment_Confirmation: toggle('Payments wait', 'payment_create books payments that are not completed.'),
  Payments_Sign_All: guarded(
    'Sign whole payments',
    'payment_create takes no hash that leaves the transaction open.',
  ),
  Queue_Log_Enabled: toggle('Queue log by API', 'Opens queue_log_get.'),
  Webhooks_On_This_Machine: guarded(
    'Webhooks on this machine',
    'With npm start they may go to plain HTTP; a deployed stage never does it.',
  ),
  Explain_Hashes: toggle('Explain hashes', 'No effect since release 1.1.'),
}

/** The settings by subject, in the order of the console's page. */
export const SETTING_GROUPS = {
  'Company and brand': COMPANY,
  Billing: BILLING,
  Mail: MAIL,
  'Card payments': CARDS,
  Bookkeeping: BOOKKEEPING,
  'Numbers and prices': NUMBERS,
  'Switches and CDRs': SWITCHES,
  'Call control': CALL_CONTROL,
  'Customers and devices': CUSTOMERS,
  Developers: DEVELOPERS,
} as const

/** Every setting of an installation, by its documented name with underscores. */
export const SETTINGS = {
  ...COMPANY,
  ...BILLING,
  ...MAIL,
  ...CARDS,
  ...BOOKKEEPING,
  ...NUMBERS,
  ...SWITCHES,
  ...CALL_CONTROL,
  ...CUSTOMERS,
  ...DEVELOPERS,
} as const
