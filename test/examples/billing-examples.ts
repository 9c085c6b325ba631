import { exampleDevices, people } from '#test/examples/examples.ts'

/** Documents of the people in examples.ts, around the day of the tests: 2026-03-10. */

export const billingCurrencies = [
  { name: 'EUR', exchange_rate: '0.8', auto_update: '1' },
  { name: 'GBP', exchange_rate: '0.75', auto_update: '0' },
]

const payment = (id: number, user_id: number, rest: Readonly<Record<string, string>> = {}) => ({
  id: String(id),
  user_id: String(user_id),
  date: '2026-03-10 09:00:00',
  type: 'bank',
  amount: '10',
  completed: '1',
  ...rest,
})

/** Bob's, Rick's own, and one of each customer of somebody else. */
export const examplePayments = [
  payment(1, 10, {
    transaction_id: 'TX-1 & co',
    confirm_date: '2026-03-10 10:30:00',
    amount: '12.34565',
    amount_with_vat: '15',
    fee: '0.5',
    currency: 'EUR',
    comments_for_user: 'Thanks <you>',
  }),
  payment(2, 10, { date: '2026-03-10 08:00:00', type: 'PayPal', completed: '0', pending_reason: 'awaiting' }),
  payment(3, 20),
  payment(4, 30),
  payment(5, 40),
  payment(6, 2),
  payment(7, 10, { date: '2026-03-09 23:59:59' }),
  payment(8, 0, { date: '2026-03-10 23:59:59' }),
]

const creditNote = (id: number, user_id: number, rest: Readonly<Record<string, string>> = {}) => ({
  id: String(id),
  user_id: String(user_id),
  issue_date: '2026-03-10',
  number: `CN-${id}`,
  price: '5',
  ...rest,
})

export const exampleCreditNotes = [
  creditNote(1, 10, {
    comment: 'Too much & too late',
    price: '0.987',
    price_with_vat: '1.194270',
    currency: 'EUR',
    pay_date: '2026-03-12',
  }),
  creditNote(2, 10, { issue_date: '2026-03-01' }),
  creditNote(3, 20),
  creditNote(4, 30),
  creditNote(5, 2),
]

export const exampleServices = [
  {
    id: '1',
    owner_id: '0',
    name: 'Flat rate',
    memo: 'all <calls>',
    type: 'flat_rate',
    period: 'monthly',
    price: '10',
    self_cost: '0.987',
    currency: 'EUR',
    quantity: '2',
  },
  { id: '2', owner_id: '2', name: "Rick's support", type: 'periodic_fee', period: 'monthly', price: '4.50' },
  { id: '3', owner_id: '4', name: "Pat's line", type: 'one_time_fee', price: '1e-7' },
]

const subscription = (id: number, user_id: number, rest: Readonly<Record<string, string>> = {}) => ({
  id: String(id),
  user_id: String(user_id),
  service_id: '1',
  from: '2026-01-01 00:00:00',
  ...rest,
})

export const exampleSubscriptions = [
  subscription(9, 10, { device_id: '100', till: '2026-12-31 23:59:59', memo: 'first & last' }),
  subscription(2, 20, { service_id: '2' }),
  subscription(5, 40, { service_id: '3' }),
  subscription(7, 2, { service_id: '1' }),
  subscription(8, 4, { service_id: '1' }),
  subscription(11, 30),
]

const invoice = (id: number, user_id: number, rest: Readonly<Record<string, string>> = {}) => ({
  id: String(id),
  user_id: String(user_id),
  number: `INV-${id}`,
  issue_date: '2026-03-10',
  price: '10',
  ...rest,
})

export const exampleInvoices = [
  invoice(1, 10, {
    status: 'paid',
    price: '12.34565',
    price_with_vat: '15',
    currency: 'EUR',
    total_time: '00:10:00',
  }),
  invoice(2, 10, { issue_date: '2026-02-01' }),
  invoice(3, 20),
  invoice(4, 30),
  invoice(5, 40),
  invoice(6, 2),
]

export const invoiceProducts = [
  {
    invoice_id: '1',
    name: 'Calls & more',
    quantity: '3',
    price: '4',
    discount: '0.5',
    sum: '12.34565',
    date_added: '2026-03-09',
    issue_date: '2026-03-10',
    time: '00:10:00',
    service_id: '1',
    prefix: '370',
  },
  { invoice_id: '3', name: 'Line', sum: '7.5' },
  { invoice_id: '3', name: 'Support', sum: '2.50' },
]

/** Every document, with the accounts, devices and currencies that they name. */
export const allDocuments = {
  users: people,
  devices: exampleDevices,
  currencies: billingCurrencies,
  services: exampleServices,
  subscriptions: exampleSubscriptions,
  payments: examplePayments,
  adjustments: [
    {
      id: '1',
      user_id: '10',
      date: '2026-03-10 10:00:00',
      amount: '-1.5',
      who: 'ada',
      why: 'A fee of the bank',
    },
  ],
  credit_notes: exampleCreditNotes,
  invoices: exampleInvoices,
  invoice_products: invoiceProducts,
}
