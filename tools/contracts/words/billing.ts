import { ignored, type MethodWords, type ParameterWords, PERIOD } from './words.ts'

const customer = (example: string): ParameterWords => ({
  says: 'The customer, by its id.',
  default: 'everybody in scope',
  example,
})

export const billingWords: MethodWords = {
  credit_notes_get: {
    credit_note_id: { says: 'One credit note, by its id; user_id is then ignored.', example: '1' },
    user_id: customer('10'),
  },
  payments_get: {
    s_user_id: {
      ...customer('10'),
      says: 'The customer, by its id; a reseller or partner that names itself gets the payments of all its customers, a plain user always gets its own.',
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
  services_get: {},
  subscriptions_get: {
    s_user_id: customer('20'),
    user_id: { says: 'Another name for s_user_id.', example: '20' },
    service_id: { says: 'Only subscriptions to this service, by its id.', default: 'all', example: '5' },
    subscription_activation_start: ignored('Sent by clients in use.'),
    subscription_activation_end: ignored('Sent by clients in use.'),
    subscription_memo: ignored('Sent by clients in use.'),
    subscription_until_canceled: ignored('Sent by clients in use.'),
  },
  financial_statements_get: {
    user_id: { ...customer('10'), says: 'The customer, by its id; a plain user always gets its own.' },
    status: { says: 'Only paid documents, or only unpaid ones.', default: 'all', example: 'unpaid' },
    date_from: PERIOD.from,
    date_till: {
      ...PERIOD.till,
      default: "the end of tomorrow in the installation's time zone",
    },
  },
  invoices_get: {
    from: { ...PERIOD.from, default: 'open: from the first invoice' },
    till: { ...PERIOD.till, default: 'open: to the last invoice' },
  },
}
