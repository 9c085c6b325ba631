import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anEvent, type Request } from '#lib/testing/event.ts'
import { readRawParameters } from './raw-parameters.ts'

const read = async (request: Request) => ({ ...(await readRawParameters(anEvent(request))) })

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' }
const JSON_BODY = { 'content-type': 'application/json' }

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
  ['an empty body of any type', { headers: { 'content-type': 'text/plain' }, body: '' }, {}],
])('%s', async (_rule, request, expected) => {
  expect(await read(request)).toEqual(expected)
})

test.each<[string, Request, number, string]>([
  ['nested JSON', { headers: JSON_BODY, body: '{"a":{"b":1}}' }, 400, 'Bad request'],
  ['a JSON list', { headers: JSON_BODY, body: '[1]' }, 400, 'Bad request'],
  ['broken JSON', { headers: JSON_BODY, body: '{"a":' }, 400, 'Bad request'],
  ['escapes that are not UTF-8', { body: 'a=%FF' }, 400, 'Bad request'],
  ['a value in a query that was not UTF-8', { method: 'GET', query: [['a', '\uFFFD']] }, 400, 'Bad request'],
  ['a name in a query that was not UTF-8', { query: [['\uFFFD', '1']] }, 400, 'Bad request'],
  ['bytes that are not UTF-8', { body: Buffer.from([0x61, 0x3d, 0xff]) }, 400, 'Bad request'],
  [
    'a multipart body without its end',
    {
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
    },
    400,
    'Bad request',
  ],
  [
    'a multipart body without a boundary',
    { headers: { 'content-type': 'multipart/form-data' }, body: 'a' },
    400,
    'Bad request',
  ],
  [
    'another type',
    { headers: { 'content-type': 'text/xml' }, body: '<a/>' },
    415,
    'Unsupported content type',
  ],
  ['more than a million bytes', { body: `a=${'x'.repeat(999_999)}` }, 413, 'Request is too large'],
])('refuses %s', async (_case, request, status, message) => {
  await expect(read(request)).rejects.toMatchObject({ status, message, layer: 'gate' })
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
