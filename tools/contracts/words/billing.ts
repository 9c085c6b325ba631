import {
  type MethodWords,
  optionalWords,
  type ParameterWords,
  PERIOD,
  requiredWords,
  signedOnlyWords,
} from './words.ts'

const customer = (example: string): ParameterWords => ({
  says: 'The customer.',
  default: 'everybody in scope',
  example,
})

export const billingWords: MethodWords = {
  credit_notes_get: {
    credit_note_id: optionalWords('One credit note; user_id is then ignored.', '1'),
    user_id: customer('10'),
  },
  payments_get: {
    s_user_id: {
      ...customer('10'),
      says: 'The customer; a reseller or partner that names itself sees the payments of all its customers, a plain user its own.',
    },
    s_from: PERIOD.from,
    s_till: PERIOD.till,
    s_completed: { says: 'Only payments that are completed (1), or not (0).', default: 'both', example: '1' },
    s_paymenttype: {
      says: 'Only payments of this type, in upper or lower case.',
      default: 'all',
      example: 'paypal',
    },
    s_currency: { says: 'Only payments in this currency.', default: 'all', example: 'USD' },
  },
  payment_create: {
    user_id: requiredWords('The customer.', '10'),
    p_currency: requiredWords('The currency of the amount: a currency with a rate.', 'EUR'),
    paymenttype: { says: 'The gateway, in words of your own.', default: 'manual', example: 'Website' },
    tax_in_amount: { says: '1: the amount includes the tax.', default: '0', example: '0' },
    amount: requiredWords(
      'A decimal above 0, with at most 15 digits on each side of the point, without sign, exponent and commas.',
      '25',
    ),
    transaction: {
      says: 'Your reference of the payment: a repeated request books nothing and returns the first answer.',
      default: 'each request is a payment',
      example: 'GW-1001',
    },
    payer_email: signedOnlyWords('payer@example.com'),
    comments_for_user: optionalWords('A text that payments_get prints.', 'Thank you'),
    invoice: {
      says: 'The number of an invoice of the customer, which the payment pays.',
      default: 'an ordinary payment',
      example: 'A-2026-17',
    },
  },
  services_get: {},
  subscriptions_get: {
    s_user_id: customer('20'),
    user_id: optionalWords('Another name for s_user_id.', '20'),
    service_id: { says: 'Only subscriptions to this service.', default: 'all', example: '5' },
    subscription_activation_start: signedOnlyWords(),
    subscription_activation_end: signedOnlyWords(),
    subscription_memo: signedOnlyWords(),
    subscription_until_canceled: signedOnlyWords(),
  },
  financial_statements_get: {
    user_id: { ...customer('10'), says: 'The customer; a plain user always sees its own.' },
    status: { says: 'Only paid documents, or only unpaid ones.', default: 'all', example: 'unpaid' },
    date_from: PERIOD.from,
    date_till: {
      ...PERIOD.till,
      default: 'the end of tomorrow',
    },
  },
  invoices_get: {
    from: { ...PERIOD.from, default: 'open: from the first invoice' },
    till: { ...PERIOD.till, default: 'open: to the last invoice' },
  },
}
