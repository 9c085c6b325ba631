import { expect, test } from 'vitest'
import { element } from './element.ts'
import { type EnvelopeName, envelopes, refusalBelowMethods } from './envelopes.ts'
import { render } from './render.ts'

const CONTENT = element('a', 'b')

test.each<[EnvelopeName, string, string]>([
  ['page', '<page><a>b</a></page>', '<page><error>No</error></page>'],
  ['status', '<page><a>b</a></page>', '<page><status><error>No</error></status></page>'],
  [
    'nestedStatus',
    '<page><a>b</a></page>',
    '<page><status><status><error>No</error></status></status></page>',
  ],
  ['ownRoot', '<a>b</a>', '<page><error>No</error></page>'],
  [
    'login',
    '<page><a>b</a></page>',
    '<page><action><name>login</name><status>failed</status><status_message>No</status_message></action></page>',
  ],
  ['rootStatus', '<page><a>b</a></page>', '<page><error>No</error></page>'],
  ['logout', '<a>b</a>', '<action><name>logout</name><status>No</status></action>'],
])('the envelope %s', (name, success, failure) => {
  expect(render(envelopes[name].success(CONTENT))).toBe(success)
  expect(render(envelopes[name].failure('No'))).toBe(failure)
})

test.each([['text'], [undefined], [{ markup: '<a/>' }], [[CONTENT]]])(
  'content that is not an element cannot be a root: %j',
  (content) => {
    expect(() => envelopes.ownRoot.success(content)).toThrow(
      'Content that is not an element cannot be a root',
    )
  },
)

test('the reason of a failure is printed beside its message', () => {
  expect(render(envelopes.rootStatus.failure('No', 'Why'))).toBe(
    '<page><error>No</error><message>Why</message></page>',
  )
})

test.each<[EnvelopeName, string]>([
  ['page', '<page><status><error>No</error></status></page>'],
  ['login', '<page><status><error>No</error></status></page>'],
  ['rootStatus', '<status><error>No</error></status>'],
  ['logout', '<status><error>No</error></status>'],
])('a refusal below a method of the envelope %s', (name, refusal) => {
  expect(render(envelopes[name].refusal('No'))).toBe(refusal)
})

test('a refusal below the methods has the shape of the gates', () => {
  expect(render(refusalBelowMethods('No'))).toBe('<page><status><error>No</error></status></page>')
})
