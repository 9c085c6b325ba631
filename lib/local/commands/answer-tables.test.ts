import { expect, test } from 'vitest'
import { asTables } from './answer-tables.ts'

test('a list is told in columns, what stands alone line by line', () => {
  const body =
    '<?xml version="1.0"?><page><pagename>Tariff</pagename><currency>USD</currency><rates>' +
    '<rate><prefix>1</prefix><destination>USA &amp; more</destination></rate>' +
    '<rate><prefix>3706</prefix><destination/></rate></rates></page>'

  expect(asTables(body)).toBe(
    [
      'pagename  Tariff',
      'currency  USD',
      '',
      'rates: rate',
      'prefix  destination',
      '1       USA & more',
      '3706',
    ].join('\n'),
  )
})

test('a list of one is told like what stands alone, with what lies deeper by its path', () => {
  const body =
    '<page><calls><call><calldate><date>2026-11-18</date></calldate><src>1</src></call></calls></page>'

  expect(asTables(body)).toBe('calldate.date  2026-11-18\nsrc            1')
})

test('what is not XML stays as it is', () => {
  expect(asTables('Bad gateway <')).toBe('Bad gateway <')
})
