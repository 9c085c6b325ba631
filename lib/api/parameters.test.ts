import { expect, test } from 'vitest'
import {
  assignedId,
  echoed,
  idOrAll,
  idParam,
  namedId,
  onlyDefault,
  type ParameterType,
  prefixFilter,
  refuseUnstorable,
  signedOnly,
  storedText,
  textParam,
  timestamp,
  wordParam,
} from './parameters.ts'

const NOBODY = -1

test.each<[string, ParameterType, string | undefined, unknown]>([
  ['an id', idParam, ' 007 ', 7],
  ['an id of 15 digits', idParam, '9'.repeat(15), 999_999_999_999_999],
  ['an id of 16 digits', idParam, '9'.repeat(16), NOBODY],
  ['an ill-typed id', idParam, '7x', NOBODY],
  ['an ill-typed id', idParam, 'x7', NOBODY],
  ['a negative id', idParam, '-7', NOBODY],
  ['a blank id', idParam, ' ', undefined],
  ['a missing id', idParam, undefined, undefined],
  ['the id of an object', namedId, '0', 0],
  ['the blank id of an object', namedId, '', NOBODY],
  ['the missing id of an object', namedId, undefined, NOBODY],
  ['an assigned id', assignedId, '7', 7],
  ['a removed assignment', assignedId, ' -1 ', null],
  ['a missing assignment', assignedId, undefined, undefined],
  ['an id to filter by', idOrAll, '7', 7],
  ['all', idOrAll, ' ALL ', undefined],
  ['no filter', idOrAll, undefined, undefined],
  ['a prefix', prefixFilter, ' 0370 ', '0370'],
  ['a blank prefix', prefixFilter, ' ', undefined],
  ['a missing prefix', prefixFilter, undefined, undefined],
  ['the default', onlyDefault('none'), ' None ', undefined],
  ['a blank default', onlyDefault('none'), ' ', undefined],
  ['a missing default', onlyDefault(), undefined, undefined],
  ['text', textParam, ' a ', ' a '],
  ['a timestamp', timestamp, '1760000000', 1_760_000_000],
  ['an ill-typed timestamp', timestamp, 'now', undefined],
  ['a missing timestamp', timestamp, undefined, undefined],
  ['a word', wordParam('asc', 'desc'), ' DESC ', 'desc'],
  ['another word', wordParam('asc', 'desc'), 'up', undefined],
  ['a missing word', wordParam('asc', 'desc'), undefined, undefined],
  ['a repeated id', echoed(idParam), ' 7 ', { sent: ' 7 ', means: 7 }],
  ['a signed parameter', signedOnly, 'x', undefined],
])('%s is read', (_case, type, raw, value) => {
  expect(type.read(raw, 'name')).toEqual(value)
})

test.each([
  ['a prefix with a letter', prefixFilter, '37a'],
  ['a prefix after a letter', prefixFilter, 'a37'],
  ['another word than the default', onlyDefault('none'), 'some'],
  ['any word where blank is the default', onlyDefault(), 'none'],
])('not supported: %s', (_case, type, raw) => {
  expect(() => type.read(raw, 'filter')).toThrow('filter is not supported')
})

test('stored text must fit into an answer; other text may hold anything', () => {
  const params = { id: idParam, note: textParam, name: storedText, title: storedText }
  const refusing = (raw: Record<string, string>) => () => refuseUnstorable(params, raw)

  expect(refusing({ note: '\u0001', name: 'x'.repeat(4000) })).not.toThrow()
  expect(refusing({})).not.toThrow()
  expect(refusing({ title: '\u0001', name: 'a\u0001' })).toThrow('name has invalid characters')
  expect(refusing({ title: 'x'.repeat(4001) })).toThrow('title is invalid')
})
