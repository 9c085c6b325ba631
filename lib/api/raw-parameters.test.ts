import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anEvent, type Request } from '#test/event.ts'
import { countWork } from '#test/hostile/counted-work.ts'
import { readRawParameters } from './raw-parameters.ts'

const read = async (request: Request) => ({ ...(await readRawParameters(anEvent(request))) })

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
const JSON_BODY = { 'content-type': 'application/json' }

const FIELD = 'Content-Disposition: form-data; name="a"\r\n\r\n'

const multipart = (...parts: string[]) => ({
  headers: { 'content-type': 'multipart/form-data; boundary=x' },
  body: `${parts.map((part) => `--x\r\n${part}\r\n`).join('')}--x--\r\n`,
})

test.each<[string, Request, Record<string, string>]>([
  ['a form', { headers: FORM, body: 'a=1&b=%C3%A4+%2B&c=' }, { a: '1', b: 'ä +', c: '' }],
  ['a body without a type is a form', { body: 'a=1' }, { a: '1' }],
  [
    'the body overrides the query',
    {
      body: 'a=2',
      query: [
        ['a', '1'],
        ['b', '3'],
      ],
    },
    { a: '2', b: '3' },
  ],
  ['the last of several values of a parameter counts', { body: 'a=1&a=2' }, { a: '2' }],
  [
    'the last of several values in a query counts',
    {
      method: 'GET',
      query: [
        ['a', '1'],
        ['a', '2'],
      ],
    },
    { a: '2' },
  ],
  ['the body of a GET is ignored', { method: 'GET', body: '{', headers: JSON_BODY }, {}],
  [
    'JSON numbers keep their text',
    { headers: JSON_BODY, body: '{"a":1.0,"b":12345678901234567890}' },
    { a: '1.0', b: '12345678901234567890' },
  ],
  [
    'JSON true and false are 1 and 0, null is not sent',
    { headers: JSON_BODY, body: '{"a":true,"b":false,"c":null}' },
    { a: '1', b: '0' },
  ],
  [
    'the last of several values of a JSON name counts',
    { headers: JSON_BODY, body: '{"a":1,"a":"2"}' },
    { a: '2' },
  ],
  [
    'multipart fields are read and files are skipped',
    multipart(
      'Content-Disposition: form-data; name="a"\r\n\r\nä',
      'Content-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n\u0000',
    ),
    { a: 'ä' },
  ],
  ['a lone percent sign', { body: 'a=100%' }, { a: '100%' }],
  ['a percent sign before one hex digit', { body: 'a=%4&b=%%41' }, { a: '%4', b: '%A' }],
  ['no body', {}, {}],
  [
    'a space after the type',
    { headers: { 'content-type': 'application/json ; x' }, body: '{"a":"1"}' },
    { a: '1' },
  ],
  ['an empty body of any type', { headers: { 'content-type': 'text/plain' }, body: '' }, {}],
])('%s', async (_rule, request, expected) => {
  expect(await read(request)).toStrictEqual(expected)
})

const UNREADABLE_FORM = 'The form has bytes or escapes that are not UTF-8'
const UNREADABLE_QUERY = 'The query string has escapes that are not UTF-8'

test.each<[string, Request, number, string, string?]>([
  [
    'nested JSON',
    { headers: JSON_BODY, body: '{"a":{"b":1}}' },
    400,
    'Bad request',
    'The body is not one flat JSON object in UTF-8',
  ],
  [
    'a JSON list',
    { headers: JSON_BODY, body: '[1]' },
    400,
    'Bad request',
    'The body is not one flat JSON object in UTF-8',
  ],
  [
    'broken JSON',
    { headers: JSON_BODY, body: '{"a":' },
    400,
    'Bad request',
    'The body is not one flat JSON object in UTF-8',
  ],
  [
    'a percent sign between the bytes of a character',
    { body: 'a=%C3%%A4' },
    400,
    'Bad request',
    UNREADABLE_FORM,
  ],
  ['escapes that are not UTF-8', { body: 'a=%FF' }, 400, 'Bad request', UNREADABLE_FORM],
  [
    'a value in a query that was not UTF-8',
    { method: 'GET', query: [['a', '\uFFFD']] },
    400,
    'Bad request',
    UNREADABLE_QUERY,
  ],
  [
    'a name in a query that was not UTF-8',
    { query: [['\uFFFD', '1']] },
    400,
    'Bad request',
    UNREADABLE_QUERY,
  ],
  [
    'bytes that are not UTF-8',
    { body: Buffer.from([0x61, 0x3d, 0xff]) },
    400,
    'Bad request',
    UNREADABLE_FORM,
  ],
  [
    'a multipart body without its end',
    {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
    },
    400,
    'Bad request',
    'The multipart form is not well-formed, or not UTF-8',
  ],
  [
    'a multipart body without a boundary',
    { headers: { 'content-type': 'multipart/form-data' }, body: 'a' },
    400,
    'Bad request',
    'The multipart form is not well-formed, or not UTF-8',
  ],
  [
    'another type',
    { headers: { 'content-type': 'text/xml' }, body: '<a/>' },
    415,
    'Unsupported content type',
    'Send application/x-www-form-urlencoded, or multipart/form-data, or application/json',
  ],
  ['more than a million bytes', { body: `a=${'x'.repeat(999_999)}` }, 413, 'Request is too large'],
])('refuses %s', async (_case, request, status, message, reason) => {
  await expect(read(request)).rejects.toMatchObject({ status, message, reason, layer: 'gate' })
})

test.each([
  ['null', 'The body is not a JSON object'],
  ['true', 'The body is not a JSON object'],
  ['"ab"', 'The body is not a JSON object'],
  ['5', 'The body is not a JSON object'],
  ['[]', 'The body is not a JSON object'],
  ['{"a":[]}', 'The JSON body is nested'],
])('the log tells why the JSON %s is refused', async (body, message) => {
  await expect(read({ headers: JSON_BODY, body })).rejects.toMatchObject({ status: 400, cause: { message } })
})

test.each([
  ['that is not UTF-8', { ...multipart(), body: Buffer.from(multipart(`${FIELD}\u00FF`).body, 'latin1') }],
  [
    'in an unknown charset',
    multipart('Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=x\r\n\r\n1'),
  ],
])('the log tells why a multipart field %s is refused', async (_case, request) => {
  await expect(read(request)).rejects.toMatchObject({
    status: 400,
    cause: { message: 'A field is not UTF-8' },
  })
})

test('a parameter of the path is read without its escapes, and counts more than the body', async () => {
  const inPath = (value: string) =>
    readRawParameters(anEvent({ body: 'key=1&a=2', pathParameters: { key: value, other: '3' } }), {
      inPath: 'key',
    })

  expect({ ...(await inPath('%C3%A4%20b')) }).toEqual({ key: 'ä b', a: '2' })
  await expect(inPath('%E4')).rejects.toThrow('Bad request')
  expect({ ...(await readRawParameters(anEvent({ body: 'a=2' }), { inPath: 'key' })) }).toEqual({ a: '2' })
})

test('a method that is POST only ignores the query', async () => {
  const event = anEvent({ query: [['a', '1']], body: 'b=2' })

  expect({ ...(await readRawParameters(event, { postOnly: true })) }).toStrictEqual({ b: '2' })
})

test('a parameter of a query without values is blank', async () => {
  const event = {
    ...anEvent({ method: 'GET' }),
    multiValueQueryStringParameters: { a: undefined, b: [] },
  }

  expect({ ...(await readRawParameters(event)) }).toStrictEqual({ a: '', b: '' })
  expect({ ...(await readRawParameters({ ...event, multiValueQueryStringParameters: null })) }).toStrictEqual(
    {},
  )
})

test('a body that is not in base64 is text', async () => {
  const event = { ...anEvent({}), body: 'a=%C3%A4ä', isBase64Encoded: false }

  expect({ ...(await readRawParameters(event)) }).toStrictEqual({ a: 'ää' })
})

test('a body of exactly a million bytes is read', async () => {
  expect(await read({ body: `a=${'x'.repeat(999_998)}` })).toMatchObject({ a: expect.stringMatching(/^x+$/) })
})

test('names of properties that every object has are ordinary names', async () => {
  const names = ['__proto__', 'constructor', 'toString']

  const raw = await readRawParameters(
    anEvent({ body: new URLSearchParams(names.map((name): [string, string] => [name, 'x'])).toString() }),
  )

  expect(Object.keys(raw)).toEqual(names)
  expect((await readRawParameters(anEvent({ body: '' })))['toString']).toBeUndefined()
})

test('every form and JSON body is read back unchanged', async () => {
  const text = fc.string({ unit: 'grapheme' })
  const parameters = fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), text, {
    noNullPrototype: true,
  })
  await fc.assert(
    fc.asyncProperty(parameters, async (sent) => {
      expect(await read({ body: new URLSearchParams(sent).toString() })).toEqual(sent)
      expect(await read({ headers: JSON_BODY, body: JSON.stringify(sent) })).toEqual(sent)
    }),
  )
})

const named = (count: number, write: (name: string) => string, joint: string): string =>
  Array.from({ length: count }, (_, index) => write(`n${index}`)).join(joint)

const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => `Content-Disposition: form-data; name="n${index}"\r\n\r\n:`)

const BODIES: [string, (count: number) => Request, string][] = [
  ['a form', (count) => ({ headers: FORM, body: named(count, (name) => `${name}=1`, '&') }), '&%FF'],
  [
    'JSON',
    (count) => ({ headers: JSON_BODY, body: `{${named(count, (name) => `"${name}":":\\":"`, ',')}}` }),
    '"',
  ],
  ['a multipart form', (count) => multipart(...fields(count)), ''],
]

// A body is broken after the name that is one too many, so a parser that reads on would say something else.
test.each(BODIES)('%s has at most 200 names', async (_kind, withNames, broken) => {
  expect(Object.keys(await read(withNames(200)))).toHaveLength(200)
  for (const count of [201, 60_000 / (broken === '' ? 60 : 6)]) {
    const request = withNames(count)
    await expect(read({ ...request, body: request.body + broken })).rejects.toMatchObject({
      reason: 'The body has more than 200 names',
    })
  }
})

test.each(BODIES)('%s of very many names is refused after 201 of them', async (kind, withNames) => {
  const work = (count: number) => {
    const event = anEvent(withNames(count))
    return countWork(() => readRawParameters(event).catch(() => undefined))
  }
  const [allowed, refused, many] = [
    await work(200),
    await work(201),
    await work(kind === 'a multipart form' ? 15_000 : 60_000),
  ]

  expect(allowed).toBeGreaterThan(1000)
  expect(many).toBeLessThan(1.2 * refused)
})
