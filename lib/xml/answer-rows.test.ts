import { expect, test } from 'vitest'
import { answerRow, answerTables, isPluralOf, type XmlNode } from './answer-rows.ts'

const node = (
  name: string,
  inner: string | XmlNode[] = '',
  attributes: [string, string][] = [],
): XmlNode => ({
  name,
  attributes,
  children: typeof inner === 'string' ? [] : inner,
  text: typeof inner === 'string' ? inner : '',
})

test('a row has the attributes and the texts at any depth, by path', () => {
  const call = node(
    'call',
    [
      node('calldate', [node('date', '2026', [['zone', 'UTC']])]),
      node('src'),
      node('dst', '37', [['a', 'b']]),
    ],
    [['id', '7']],
  )

  expect(answerRow(call)).toEqual({
    id: '7',
    'calldate.date': '2026',
    'calldate.date.zone': 'UTC',
    src: '',
    dst: '37',
    'dst.a': 'b',
  })
})

test('an element without children has its attributes', () => {
  expect(answerRow(node('call', 'text', [['id', '7']]))).toEqual({ id: '7' })
})

test('a plural ends with s, in any case', () => {
  expect(isPluralOf('Devices', 'device')).toBe(true)
  expect(isPluralOf('devices', 'DEVICE')).toBe(true)
  expect(isPluralOf('device', 'device')).toBe(false)
})

const device = (id: string) => node('device', [node('id', id)])

test('an answer has a table for each list, and one row for the other values', () => {
  const answer = node(
    'page',
    [
      node('total', '2', [['unit', 'device']]),
      node('devices', [device('1'), device('2')]),
      node('user', [node('name', 'bob'), node('call', [node('id', '3')])]),
    ],
    [['version', '1']],
  )

  expect(answerTables(answer)).toEqual([
    { title: 'page', isList: false, rows: [{ version: '1', total: '2' }] },
    { title: 'devices: device', isList: true, rows: [{ id: '1' }, { id: '2' }] },
    { title: 'user', isList: false, rows: [{ name: 'bob' }] },
    { title: 'call', isList: false, rows: [{ id: '3' }] },
  ])
})

test('a list may stand beside other values', () => {
  const answer = node('page', [
    node('total', '2'),
    device('1'),
    node('user', [node('name', 'bob')]),
    device('2'),
  ])

  expect(answerTables(answer)).toEqual([
    { title: 'page', isList: false, rows: [{ total: '2' }] },
    { title: 'user', isList: false, rows: [{ name: 'bob' }] },
    { title: 'page: device', isList: true, rows: [{ id: '1' }, { id: '2' }] },
  ])
})

test.each([
  ['one row under its plural', node('devices', [device('1')]), true],
  ['one row under another name', node('page', [device('1')]), false],
  ['several rows under another name', node('page', [device('1'), device('2')]), true],
  [
    'several rows of attributes',
    node('page', [node('row', '', [['id', '1']]), node('row', '', [['id', '2']])]),
    true,
  ],
  ['several texts', node('page', [node('error', 'a'), node('error', 'b')]), false],
  ['a text among rows', node('page', [device('1'), node('device', 'none')]), false],
])('a list: %s', (_case, answer, expected) => {
  expect(answerTables(answer).some(({ isList }) => isList)).toBe(expected)
})
