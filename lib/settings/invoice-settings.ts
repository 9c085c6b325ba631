import { CUSTOMER_LANGUAGES } from '#lib/base/language/language.ts'

/** What an account can get an invoice as: a PDF, a page to print, or an e-invoice (docs/invoices.md). */
export const DOCUMENT_FORMATS = ['pdf', 'html', 'ubl', 'peppol', 'xrechnung', 'cii', 'factur-x'] as const

export type AccountFormat = (typeof DOCUMENT_FORMATS)[number]

const text = (value = '') => ({ kind: 'text', default: value }) as const

/** The settings of invoices. settings.ts has all others. */
export const INVOICE_SETTINGS = {
  Late_Months: { kind: 'whole number', default: '2' },
  Payment_Days: { kind: 'whole number', default: '14' },
  Invoice_Number_Format: text('A-{year}-{n}'),
  Credit_Note_Number_Format: text('C-{year}-{n}'),
  Invoice_Rows: text('destination'),
  Correct_Invoiced_Days: { kind: 'switch', default: 'off' },
  Payments_With_VAT: { kind: 'switch', default: 'off' },
  Allocate_Payments: text('off'),
  Seller_Name: text(),
  Seller_Address: text(),
  Seller_VAT_Number: text(),
  Seller_Bank: text(),
  Seller_Country: text(),
  Seller_Postcode: text(),
  Seller_City: text(),
  Seller_Contact: text(),
  Seller_Telephone: text(),
  Seller_Email: text(),
  Seller_Electronic_Address: text(),
  Seller_Legal_Number: text(),
  No_VAT_Reason: text(),
  Document_Paper: text('A4'),
  Language: text('en'),
  Journal_Receivables: text('1400'),
  Journal_Revenue: text('8200'),
  Journal_VAT: text('1776'),
  Journal_Bank: text('1200'),
  Journal_Differences: text('2150'),
  Journal_Prepaid: text('1710'),
  Journal_Adjustments: text('goodwill=8700,bad_debt=2400,bank_fee=4970,opening=9000,correction=2300'),
  Journal_Invoice_Day: text('month_end'),
  DATEV_Client: text(),
  DATEV_Tax_Keys: text(),
} as const

const MAX_LATE_MONTHS = 12
const MAX_PAYMENT_DAYS = 365

/** The code of a scheme of electronic addresses (EAS), a colon, and the address in it. */
export const ELECTRONIC_ADDRESS = /^(?:\d{4}|A[NQSU]|EM):\S{1,200}$/

export const ELECTRONIC_ADDRESS_FORM =
  'a scheme and an address such as 0208:0123456749 or EM:bills@example.com'

/** With room for a number of 15 digits in the 60 characters of an invoice's number. */
const MAX_FORMAT = 48

const numberFormat = {
  isValid: (value: string) => value.split('{n}').length === 2 && value.length <= MAX_FORMAT,
  rule: `takes a text such as A-{year}-{n} with one {n}, of at most ${MAX_FORMAT} characters`,
}

const accounts = {
  isValid: (value: string) => value.split(',').every((item) => /^(.*=)?[\w.-]{1,20}$/.test(item.trim())),
  rule: 'takes an account, or several such as cash=1000,1200',
}

export const INVOICE_ROWS = ['destination', 'prefix', 'all'] as const

/** Further rules for values that are not blank. */
export const INVOICE_RULES = {
  Late_Months: {
    isValid: (value: string) => Number(value) <= MAX_LATE_MONTHS,
    rule: `takes 0 to ${MAX_LATE_MONTHS} months`,
  },
  Payment_Days: {
    isValid: (value: string) => Number(value) <= MAX_PAYMENT_DAYS,
    rule: `takes 0 to ${MAX_PAYMENT_DAYS} days`,
  },
  Invoice_Number_Format: numberFormat,
  Credit_Note_Number_Format: numberFormat,
  Invoice_Rows: {
    isValid: (value: string) => INVOICE_ROWS.some((row) => row === value),
    rule: `takes ${INVOICE_ROWS.join(', ')}`,
  },
  Seller_Country: {
    isValid: (value: string) => /^[A-Z]{2}$/.test(value),
    rule: 'takes the two capital letters of a country, such as DE',
  },
  Seller_Electronic_Address: {
    isValid: (value: string) => ELECTRONIC_ADDRESS.test(value),
    rule: `takes ${ELECTRONIC_ADDRESS_FORM}`,
  },
  Journal_Receivables: accounts,
  Journal_Revenue: accounts,
  Journal_VAT: accounts,
  Journal_Bank: accounts,
  Journal_Differences: accounts,
  Journal_Prepaid: accounts,
  Journal_Adjustments: accounts,
  DATEV_Tax_Keys: {
    isValid: (value: string) => value.split(',').every((item) => /^([\d.]+=)?\d{1,4}$/.test(item.trim())),
    rule: 'takes a tax key, or several by VAT percent such as 19=3,7=2',
  },
  Allocate_Payments: {
    isValid: (value: string) => value === 'oldest' || value === 'off',
    rule: 'takes oldest or off',
  },
  Journal_Invoice_Day: {
    isValid: (value: string) => value === 'month_end' || value === 'issue',
    rule: 'takes month_end or issue',
  },
  Document_Paper: { isValid: (value: string) => /^(A4|Letter)$/.test(value), rule: 'takes A4 or Letter' },
  Language: {
    isValid: (value: string) => CUSTOMER_LANGUAGES.some((language) => language === value),
    rule: `takes ${CUSTOMER_LANGUAGES.join(', ')}`,
  },
}
