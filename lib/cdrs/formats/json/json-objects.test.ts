import { expect, test, vi } from 'vitest'
import { cdrsIn, foundIn, parserFor, textsIn } from '#test/mediation/switch-documents.ts'

const read = parserFor({ format: 'asterisk-json', source: 'pbx', zone: 'UTC' })
const CDR = '{"uniqueid":"1","start":1773119520,"disposition":"ANSWERED","billsec":5}'

test('objects over several lines are parsed one by one', () => {
  const pretty = JSON.stringify(JSON.parse(CDR), undefined, 2)
  const parsed = read(`${pretty}\r\n${CDR}\n\n${pretty}`)

  expect(cdrsIn(parsed)).toHaveLength(3)
  expect(textsIn(parsed)).toEqual([pretty, CDR, pretty])
})

test('an object is whole, however long its first line is', () => {
  const pretty = `{ "start": 1773119520, "uniqueid": "1",\n"disposition": "BUSY" }`
  expect(cdrsIn(read(`${pretty}\n${pretty}\n`))).toHaveLength(2)
})

test.each([
  ['a member', `[${CDR},`],
  ['nothing', '['],
])(
  'a list that is cut off behind %s is a problem beside its CDRs, which can be parsed again',
  (_case, text) => {
    const parsed = read(text)
    expect(foundIn(parsed).at(-1)).toMatchObject({
      detail: 'the list is not closed: the document is cut off',
    })
    expect(textsIn(parsed)).toEqual(text === '[' ? ['['] : [CDR, '['])
  },
)

test.each(['[', '[oops', '[{"a":1', '[1, {"a":[2', '{"a":[1', '["x", [1'])(
  'a line %s with an unclosed bracket spoils only itself',
  (line) => {
    const parsed = read(`${CDR}\n${line}\n${CDR}\n${line}\n${CDR}\n`)
    expect(cdrsIn(parsed)).toHaveLength(3)
  },
)

test('an object of at least 30 characters among others may be a CDR', () => {
  const shortest = '{"disposition":"BUSY","x":"1"}'
  expect(foundIn(read(`${shortest}\n${shortest.replace('"1"', '""')}\n`))).toMatchObject([
    { reason: 'impossible_time', detail: 'it has no start' },
    { reason: 'unreadable', detail: 'it is too short to be a CDR' },
  ])
})

test('a list member is refused alone, and a list that is cut off is a problem', () => {
  expect(foundIn(read(`[${CDR}, 1, ${CDR}, {"uniqueid":`))).toMatchObject([
    { kind: 'cdr' },
    { detail: 'it is not a JSON object' },
    { kind: 'cdr' },
    { detail: 'it is too short to be a CDR' },
    { detail: 'the list is not closed: the document is cut off' },
  ])
})

test('brackets deeper than 64 levels are refused before JSON.parse', () => {
  const nested = (levels: number) => CDR.replace('}', `,"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)
  expect(foundIn(read(nested(63)))).toMatchObject([{ kind: 'cdr' }])

  const parse = vi.spyOn(JSON, 'parse')
  expect(foundIn(read(nested(64)))).toMatchObject([
    { reason: 'unreadable', detail: 'its brackets are nested deeper than 64 levels' },
  ])
  expect(parse).not.toHaveBeenCalled()
})

test('lines too short for a CDR are not parsed, and others are parsed once', () => {
  const parse = vi.spyOn(JSON, 'parse')
  read(`${CDR}\n${'{x}\n'.repeat(5000)}${CDR.replace('"1"', '"2"')}\n`)
  expect(parse).toHaveBeenCalledTimes(2)
})

test('an id keeps its digits also with repeated names and names of Object.prototype', () => {
  const line =
    '{"a":1,"a":2,"__proto__":{},"uniqueid":1.1,"disposition":"BUSY","start":1773119520,"uniqueid":1.10}'
  expect(cdrsIn(read(line))).toMatchObject([{ uniqueid: '1.10' }])
})

test.each(['constructor', '__proto__', 'toString'])(
  '%s is an unknown disposition like any other',
  (disposition) => {
    expect(cdrsIn(read(CDR.replace('ANSWERED', disposition)))).toMatchObject([
      { disposition: disposition.toUpperCase(), hangupcause: 0 },
    ])
  },
)

test('a long disposition is not cut inside a surrogate pair', () => {
  const [cdr] = cdrsIn(read(CDR.replace('ANSWERED', `${'X'.repeat(39)}😀`)))
  expect(cdr?.disposition).toBe('X'.repeat(39))
})

test('an object that is alone may be short and on several lines', () => {
  expect(foundIn(read('{\n"x": 1\n}'))).toMatchObject([{ detail: 'it has no disposition' }])
})

test('braces deeper than 64 levels are refused like brackets', () => {
  const nested = CDR.replace('}', `,"a":${'{"a":'.repeat(64)}1${'}'.repeat(64)}}`)
  expect(foundIn(read(nested))).toMatchObject([{ detail: 'its brackets are nested deeper than 64 levels' }])
})
