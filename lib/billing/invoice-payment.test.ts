import fc from 'fast-check'
import { expect, test } from 'vitest'
import { add, isPositive, type Money, multiply, subtract, ZERO } from '#lib/base/money.ts'
import {
  bookedAtRate,
  bookedByCredit,
  convertedTo,
  grossOf,
  openAmount,
  type PayableInvoice,
  payInvoice,
  unpaid,
  withCredit,
  withoutParts,
} from './invoice-payment.ts'

const invoice: PayableInvoice = { ...unpaid, status: 'unpaid', price: '31.61', price_with_vat: '38.25' }

const pay = (one: PayableInvoice, amount: Money) => payInvoice(one, amount)

test('a payment of the gross books the net, and the invoice is paid', () => {
  const { invoice: paid, ...share } = pay(invoice, '38.25')

  expect(share).toEqual({ applied: '38.25', applied_booked: '31.61' })
  expect(paid).toMatchObject({ status: 'paid', paid_amount: '38.25', paid_booked: '31.61' })
})

test('parts book in proportion, the last one the rest, and what is too much pays nothing', () => {
  const first = pay(invoice, '10')
  const last = pay(first.invoice, '30')

  expect(first).toMatchObject({ applied: '10', applied_booked: '8.264052' })
  expect(openAmount(first.invoice)).toBe('28.25')
  expect(last).toMatchObject({ applied: '28.25', applied_booked: '23.345948' })
  expect(pay(last.invoice, '5')).toMatchObject({ applied: '0', applied_booked: '0' })
})

test('a payment that is taken back leaves the invoice open', () => {
  const { invoice: paid, applied, applied_booked } = payInvoice({ ...invoice, id: 1 }, '38.25', 17)
  const part = { to: 'invoice', id: 1, own: applied, amount: applied, booked: applied_booked } as const
  const parts = [{ ...part, currency: '', day: '2026-03-01' }]

  expect(withoutParts(paid, parts, 17)).toEqual({ ...invoice, id: 1, paid_by: '' })
  expect(withoutParts({ ...paid, id: 2 }, parts, 17)).toEqual({ ...paid, id: 2 })
})

test('a credit note is not paid, and a credited invoice has nothing open', () => {
  const credited = withCredit(invoice, { net: '10', gross: '12.1' })

  expect(openAmount(credited)).toBe('26.15')
  expect(pay(credited, '26.15').applied_booked).toBe('21.61')
  expect(withCredit(invoice, { net: '31.61', gross: '38.25' }).status).toBe('paid')
  expect(openAmount({ ...invoice, credited_by: 'C-2026-1' })).toBe('0')
})

test("a foreign invoice books its net at its issue's rate", () => {
  const euros = { ...invoice, exchange_rate: '0.8' }

  expect(payInvoice(euros, '48.25').applied_booked).toBe('39.5125')
  expect(convertedTo('38.25', { from: '0.8', to: '1' }, 2)).toBe('47.81')
  expect(convertedTo('38.25', { from: '1', to: '1' }, 2)).toBe('38.25')
})

const cents = (max: number) => fc.integer({ min: 1, max }).map((count) => multiply(String(count), '0.01'))

test('property: whoever pays the gross in any parts has paid the net, also after credit notes', () => {
  const drawn = fc.record({
    price: cents(100_000),
    vat: fc.nat(30),
    parts: fc.array(cents(30_000), { maxLength: 5 }),
    exchange_rate: fc.constantFrom('1', '0.8', '110.37'),
    credited: fc.nat(99),
  })
  fc.assert(
    fc.property(drawn, ({ price, vat, parts, exchange_rate, credited }) => {
      const price_with_vat = add(price, multiply(multiply(price, vat), '0.01'))
      const share = multiply(String(credited), '0.01')
      let one = withCredit(
        { ...unpaid, status: 'unpaid' as const, price, price_with_vat, exchange_rate },
        { net: multiply(price, share), gross: multiply(price_with_vat, share) },
      )
      const owed = bookedAtRate(subtract(price, one.credited_net), one)
      let booked: Money = ZERO
      for (const part of [...parts, grossOf(one)]) {
        const amount = isPositive(subtract(part, openAmount(one))) ? openAmount(one) : part
        const paid = payInvoice(one, amount)
        one = paid.invoice
        booked = add(booked, paid.applied_booked)
      }
      expect(one.status).toBe('paid')
      expect(booked).toBe(owed)
    }),
  )
})

test('a paid invoice has nothing open: a payment pays nothing, and a credit note leaves it paid', () => {
  const paid = { ...unpaid, price: '31.61', price_with_vat: '38.25', status: 'paid' as const }

  expect(openAmount(paid)).toBe('0')
  const { invoice, ...share } = payInvoice(paid, '10')
  expect(invoice).toBe(paid)
  expect(share).toEqual({ applied: '0', applied_booked: '0' })
  expect(withCredit(paid, { net: '1', gross: '1.21' })).toEqual({
    ...paid,
    credited_net: '1',
    credited: '1.21',
  })
})

test('an invoice of VAT only is paid although its payment books nothing', () => {
  const { invoice, ...share } = payInvoice(
    { ...unpaid, price: '0', price_with_vat: '5', status: 'unpaid' as const },
    '5',
  )

  expect(invoice).toMatchObject({ status: 'paid', paid_amount: '5' })
  expect(share).toEqual({ applied: '5', applied_booked: '0' })
})

test('credit notes in parts book together what the invoice is, to the last digit', () => {
  const invoice = { ...unpaid, price: '4898', exchange_rate: '163.27', status: 'unpaid' as const }
  const after = withCredit(invoice, { net: '100', gross: '100' })
  const [first, second] = [bookedByCredit(invoice, '100'), bookedByCredit(after, '4798')]

  expect([bookedAtRate('100', invoice), bookedAtRate('4798', invoice)]).toEqual(['0.612482', '29.386905'])
  expect([first, second]).toEqual(['0.612483', '29.386905'])
  expect(add(first, second)).toBe(bookedAtRate('4898', invoice))
})

test('an amount in the same currency is not rounded', () => {
  expect(convertedTo('1.234', { from: '0.9', to: '0.9' }, 2)).toBe('1.234')
  expect(convertedTo('1.234', { from: '1', to: '2' }, 2)).toBe('2.47')
})
