/** A setting in an operator's words: its title, and what it does. */
export type SettingLabels = readonly [title: string, says: string]

/** The settings by subject, in the order of the console's page; `settings list` prints the sentences, too. */
export const SETTING_GROUPS: Readonly<Record<string, Readonly<Record<string, SettingLabels>>>> = {
  'Company and documents': {
    Seller_Name: ['Company', 'The seller on your documents.'],
    Seller_Address: ['Address', 'Below the company on documents.'],
    Seller_VAT_Number: ['VAT number', 'Printed on documents.'],
    Seller_Country: ['Country', 'Two letters, such as DE. Blank: the country of the VAT number.'],
    Seller_Postcode: ['Postcode', 'Before the city on documents.'],
    Seller_City: ['City', 'Below the address on documents.'],
    Seller_Contact: ['Contact', 'A person or a department, named in e-invoices.'],
    Seller_Telephone: ['Telephone', 'Of the contact, in e-invoices.'],
    Seller_Email: ['Email', 'Of the contact, in e-invoices.'],
    Seller_Electronic_Address: ['Electronic address', 'Your own in e-invoices, such as 0208:0123456749.'],
    Seller_Legal_Number: ['Legal number', 'In the register of companies, in e-invoices.'],
    Seller_Bank: ['Bank account', 'Where customers pay, printed on invoices.'],
    No_VAT_Reason: ['Reason for no VAT', 'A sentence on documents without VAT, such as Reverse charge.'],
    Payment_Days: ['Days to pay', 'From the issue of an invoice until it is due.'],
    Invoice_Number_Format: ['Invoice numbers', '{n} counts from 1, {year} is the year of issue.'],
    Credit_Note_Number_Format: ['Credit note numbers', '{n} counts from 1, {year} is the year of issue.'],
    Invoice_Rows: ['Rows of an invoice', 'Calls share a row by destination, by prefix, or all of them.'],
    Document_Paper: ['Paper', 'The size of PDFs.'],
    Language: ['Language of customers', 'Of documents for accounts that have none of their own.'],
    Default_Currency: ['Currency', 'Of all sums, balances and reports.'],
    Nice_Number_Digits: ['Decimals', 'Of amounts that programs read.'],
    Timezone: ['Time zone', 'Of all times and days.'],
  },
  'Balances and billing': {
    Balance_From: ['Balances from', 'The day from which calls and payments count. Blank: no balances.'],
    Charges_From: ['Subscriptions from', 'The day from which subscriptions are charged. Blank: never.'],
    Invoices_From: ['Invoices from', 'The day from which months are invoiced. Blank: never.'],
    Late_Months: ['Late calls', 'The earlier months whose late calls an invoice still bills.'],
    Correct_Invoiced_Days: [
      'Correct invoiced days',
      'Corrections may change invoiced calls; the next invoice bills the difference.',
    ],
    Payments_With_VAT: [
      'Payments include VAT',
      "A payment that names no invoice books its amount without the account's VAT.",
    ],
    Allocate_Payments: [
      'Allocate payments',
      'oldest: what no invoice has of a payment pays the oldest open invoices. off: by hand.',
    ],
    Calls_Keep_Days: ['Keep calls', 'Days after which calls are archived. Blank: all stay.'],
  },
  Bookkeeping: {
    Journal_Receivables: ['Receivables', 'The account that the journal of a month books invoices to.'],
    Journal_Revenue: [
      'Revenue',
      'The accounts of net amounts, by kind and VAT percent if wanted: calls=8401,/0=8336,8400.',
    ],
    Journal_VAT: ['VAT', 'The accounts of VAT, by percent if wanted.'],
    Journal_Bank: ['Bank', 'The accounts of payments, by their type if wanted.'],
    Journal_Differences: ['Differences', 'The account of differences between exchange rates.'],
    Journal_Prepaid: ['Prepaid', 'The account of what customers have on their balance without a payment.'],
    Journal_Adjustments: [
      'Adjustments',
      'The accounts of adjustments by kind: goodwill, bad_debt, bank_fee, opening, correction.',
    ],
    Journal_Invoice_Day: [
      'Day of invoices',
      'month_end: posted on the last day of the month that they bill. issue: on their own day.',
    ],
    DATEV_Client: ['DATEV', 'The numbers of the tax adviser and the client, such as 29098/55003.'],
    DATEV_Tax_Keys: ['Tax keys', 'The keys of revenue in a batch for DATEV, by VAT percent: 19=3,7=2.'],
  },
  'Numbers and prices': {
    Country_Code: ['Country code', 'Put in place of the national prefix.'],
    National_Prefix: ['National prefix', 'Cut from a number before it is priced.'],
    International_Prefix: ['International prefix', 'Cut from a number before it is priced.'],
    National_Length: [
      'National lengths',
      'Lengths of numbers that get Country_Code, such as 9,10; with Rated_Number carrier.',
    ],
    Shortest_Rated_Number: ['Shortest number', 'Fewer digits are priced by a full match only.'],
    Rated_Number: ['Priced number', 'dialled: as the customer dialled it. carrier: as the carrier got it.'],
    Apply_Number_Rules: [
      'Apply number rules',
      'Rules of devices and locations change a number before pricing; with Rated_Number carrier.',
    ],
    Feature_Codes: [
      'Feature codes',
      'Codes that cost nothing, with blanks between: ? is a digit, * any text, \\* the star.',
    ],
    Emergency_Numbers: ['Emergency numbers', 'Calls to them cost nothing and are never refused.'],
    Rate_Incoming_Calls: ['Price incoming calls', 'Off: receiving costs nothing.'],
    Free_Days: ['Holidays', 'Days that are priced as weekends: at most 60, with commas.'],
    Working_Days: ['Working weekends', 'Saturdays and Sundays that are priced as weekdays.'],
    Tariff_Versions_Days: [
      'Keep tariff versions',
      'Days after a version was last in force. The last ten stay anyway.',
    ],
  },
  'Switches and CDRs': {
    Call_Owner_Order: ['Finding the customer', 'The order in which a CDR is looked up.'],
    Intake_Join_Hours: ['Wait for events', 'Hours that the events of one call may come apart.'],
    Max_Call_Hours: ['Longest call', 'Hours; a longer call is suspended. 0: no limit.'],
    Wholesale_Customers: [
      'Wholesale customers',
      'Customers with over 500 CDRs a second, and the days from which their lists have four partitions: 10:2027-01-31.',
    ],
    Suspense_Days: ['Keep suspended CDRs', 'Days until one is removed for good. 0: for ever.'],
  },
  'Calls before they begin': {
    Call_Control: ['Control of calls', 'Switches ask whether a call may begin, and for how long.'],
    Reserve_Seconds: ['Money held for', 'Seconds of a call whose price is held.'],
    Hangup_Margin_Seconds: ['Hang up earlier by', 'Seconds before the money is used up.'],
    Ring_Seconds: ['Longest ring', 'Seconds.'],
    Hold_Grace_Seconds: ['Wait for the CDR', 'Seconds after a call until its hold may be dropped.'],
    Clock_Tolerance: ['Clocks may differ by', 'Seconds between the clock of a switch and this one.'],
    Fraud_Hour_Amount: [
      'Fraud: amount of an hour',
      'More of a customer to one country in an hour is told if it is unusual. Blank: nothing is watched.',
    ],
    New_Country_Rate: [
      'Fraud: rate of a new country',
      'A first call to a country at a higher rate a minute is told. Blank: nothing is watched.',
    ],
    New_Country_Brake: [
      'Refuse new countries',
      'Switches refuse such a call: see Known countries of an account.',
    ],
  },
  'Customers and devices': {
    API_allow_Registration: ['Registration', 'Strangers may open an account.'],
    Default_User_Tariff: ['Tariff of new customers', 'Of accounts that register. Its id.'],
    Default_User_Credit: ['Credit of new customers', 'Of accounts that register. -1: without limit.'],
    Default_User_Balance: [
      'Opening balance',
      'Of accounts that register, booked as a payment of the type Initial balance.',
    ],
    Default_User_Postpaid: ['New customers pay later', 'Of accounts that register.'],
    Default_User_Currency: ['Currency of new customers', 'Blank: the default currency.'],
    Server_IP: ['Address of the switch', 'Printed to accounts that register.'],
    Registration_Notice: ['Notice', 'Printed to accounts that register.'],
    Default_User_Password_length: ['Shortest password', 'Characters, 6 to 30.'],
    Use_strong_passwords: ['Strong passwords', 'A new password needs a digit, a capital and a small letter.'],
    Trusted_Login_Addresses: [
      'Portals',
      'Addresses and ranges (192.0.2.0/24) that log customers in without a limit of their own.',
    ],
    Customer_Page: ['Page of customers', 'Customers who sign in here see their money, calls and devices.'],
    Show_Active_Calls_for_Users: ['Customers see calls in progress', 'Each its own.'],
    Device_Limit: ['Most devices', 'Of the installation. Blank: no limit.'],
    Device_Range_MIN: ['First extension', 'Of devices that name none.'],
    Device_Range_MAX: ['Last extension', 'Of devices that name none.'],
    Default_device_type: ['Type of devices', 'Of devices that name none.'],
    Allow_short_passwords_in_devices: ['Short secrets', 'Devices may have fewer than 8 characters.'],
  },
  Programs: {
    Allow_API: ['API', 'Programs may call the signed API.'],
    Allow_GET_API: ['API by GET', 'Parameters may stand in the address, where logs keep them.'],
    API_Secret_Key: ['Secret key', 'Programs sign with it. A change locks out those that have the old one.'],
    API_Disable_hash_checking: ['No signatures', 'Insecure: anybody may call the API.'],
    XML_API_Extension: ['Answers as XML', 'Off: answers say that they are HTML, as old clients expect.'],
    Devices_Check_Rate: ['Prices by API', 'Opens rate_get.'],
    Devices_Check_Balance: ['Balances by API', 'Opens the methods that answer a balance only.'],
    Balances_Without_Signature: [
      'Balances for anybody',
      'Insecure: anybody reads a balance by extension or uniquehash.',
    ],
    API_allow_Payments: ['Payments by API', 'Opens payment_create.'],
    API_Payment_Confirmation: ['Payments wait', 'payment_create books payments that are not completed.'],
    Payments_Sign_All: [
      'Sign whole payments',
      'payment_create takes no hash that leaves the transaction open.',
    ],
    Queue_Log_Enabled: ['Queue log by API', 'Opens queue_log_get.'],
    Webhooks_On_This_Machine: [
      'Webhooks on this machine',
      'They may go to plain HTTP beside npm start; a deployed stage never does it.',
    ],
    Explain_Hashes: ['Explain hashes', 'No effect since release 1.1.'],
  },
}

/** Settings that a later server knows. */
export const OTHER_GROUP = 'Others'

const WORDS = new Map(
  Object.entries(SETTING_GROUPS).flatMap(([group, settings]) =>
    Object.entries(settings).map(([name, words]) => [name, { group, words }] as const),
  ),
)

export const settingLabels = (name: string): SettingLabels => WORDS.get(name)?.words ?? [name, '']

export const settingGroup = (name: string): string => WORDS.get(name)?.group ?? OTHER_GROUP

/** The settings that have words, in the order of the page. */
export const LABELED_SETTINGS: readonly string[] = [...WORDS.keys()]
