import { expect, test } from 'vitest'
import { billingCurrencies, exampleCreditNotes } from '#test/examples/billing-examples.ts'
import { people } from '#test/examples/examples.ts'
import { aWorld } from '#test/world.ts'
import { method } from './credit_notes_get.ts'

const aWorldWithNotes = () =>
  aWorld({ users: people, currencies: billingCurrencies, credit_notes: exampleCreditNotes })

const numbersIn = (body: string) => [...body.matchAll(/<number>CN-(\d+)</g)].map(([, id]) => Number(id))

test("a customer's credit notes are listed by day of issue, with all digits", async () => {
  const world = await aWorldWithNotes()

  expect(await world.call(method, 'admin', { user_id: 10 })).toBe(
    '<?xml version="1.0" encoding="UTF-8"?><page><credit_notes>' +
      '<credit_note><user_id>10</user_id><issue_date>2026-03-01</issue_date><number>CN-2</number><comment/>' +
      '<price>5.0</price><price_with_vat>5.0</price_with_vat><pay_date/></credit_note>' +
      '<credit_note><user_id>10</user_id><issue_date>2026-03-10</issue_date><number>CN-1</number>' +
      '<comment>Too much &amp; too late</comment><price>0.987</price><price_with_vat>1.19427</price_with_vat>' +
      '<pay_date>2026-03-12</pay_date></credit_note>' +
      '</credit_notes></page>',
  )
})

test.each([
  ['admin sees its own customers', 'admin', {}, [2, 1, 5]],
  ['the accountant sees what admin sees', 'alice', {}, [2, 1, 5]],
  ['a reseller sees its customers, not itself', 'rick', {}, [3]],
  ['one credit note', 'admin', { credit_note_id: 1 }, [1]],
  ['the credit note comes before the customer', 'admin', { credit_note_id: 1, user_id: 20 }, [1]],
  ['a blank credit note is none', 'rick', { credit_note_id: '', user_id: 20 }, [3]],
  ['a reseller as admin’s customer', 'alice', { user_id: 2 }, [5]],
])('%s', async (_rule, caller, params, expected) => {
  const world = await aWorldWithNotes()

  expect(numbersIn(await world.call(method, caller, params))).toEqual(expected)
})

test.each([
  ['nobody in particular', undefined, {}, 'Bad login'],
  ['a blocked account', 'ben', {}, 'Bad login'],
  ['a partner', 'pat', {}, 'Bad login'],
  ['a plain user, of its own', 'bob', { user_id: 10 }, 'Bad login'],
  ['an unknown credit note', 'admin', { credit_note_id: 99 }, 'Credit note was not found'],
  ['one that is not a number', 'admin', { credit_note_id: 'one' }, 'Credit note was not found'],
  ["a reseller's customer's, by admin", 'admin', { credit_note_id: 3 }, 'Credit note was not found'],
  ["another's customer's, by a reseller", 'rick', { credit_note_id: 4 }, 'Credit note was not found'],
  ["a reseller's own, by itself", 'rick', { credit_note_id: 5 }, 'Credit note was not found'],
  ["a reseller's customer, by the accountant", 'alice', { user_id: 20 }, 'Credit note was not found'],
  ["another's customer", 'rick', { user_id: 30 }, 'Credit note was not found'],
  ['a reseller itself', 'rick', { user_id: 2 }, 'Credit note was not found'],
  ['an unknown customer', 'admin', { user_id: 12345 }, 'Credit note was not found'],
  ['a customer that is not a number', 'admin', { user_id: 'ten' }, 'Credit note was not found'],
  ['a customer without any', 'admin', { user_id: 11 }, 'Credit note was not found'],
])('refuses %s', async (_case, caller, params, message) => {
  const world = await aWorldWithNotes()

  expect(await world.call(method, caller, params)).toContain(`<page><error>${message}</error></page>`)
})

test('one credit note costs four read units, and so does a short list', async () => {
  const world = await aWorldWithNotes()

  await world.call(method, 'admin', { credit_note_id: 1 })
  await world.call(method, 'admin', { user_id: 10 })

  expect(world.log).toMatchObject([{ read_units: 4 }, { read_units: 4 }])
})
