import { parse } from 'shell-quote'
import { fileRefused } from '#lib/base/row-refused.ts'
import type { RequestEvent } from '../raw-parameters.ts'

/** A call as a client wrote it down. */
export interface WrittenCall {
  readonly url: string
  /** The name in the URL: the method's own name or an alias. */
  readonly called: string
  readonly event: RequestEvent
}

/** Whether a line is a curl command. It may begin with a shell prompt, as in documentation. */
export const isCurl = (line: string): boolean => /^\s*(\$ )?curl\s/.test(line)

/** The URL of a call, with its query, anywhere in a line; `undefined` if there is none. */
export const callUrlIn = (line: string): string | undefined =>
  line.match(/(?<![^\s"'])[^\s"']*\/api\/[^\s"']+/)?.[0]

/**
 * The words of a line as a shell splits them. A variable such as `$NAME` is kept as text, since its value is
 * unknown. An unquoted pattern such as `a=*` is also kept.
 */
export const shellWords = (line: string): string[] =>
  parse(line.replace(/^\s*\$ /, ''), (name) => `$${name}`).flatMap((word) => {
    if (typeof word === 'string') return [word]
    return 'pattern' in word ? [word.pattern] : []
  })

export function callOfUrl(url: string, rest: Partial<RequestEvent> = {}): WrittenCall {
  const { pathname: path, searchParams } = new URL(url, 'http://localhost')
  const event = {
    path,
    requestContext: { path },
    httpMethod: 'GET',
    headers: {},
    body: '',
    isBase64Encoded: false,
    multiValueQueryStringParameters: Object.fromEntries(
      [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
    ),
    pathParameters: null,
    ...rest,
  }
  return { url, called: path.split('/').at(-1) ?? '', event }
}

/** Short names of options with a value, all of them: an unknown one's value would be read as the URL. */
const SHORT: Readonly<Record<string, string>> = {
  A: 'user-agent',
  F: 'form',
  H: 'header',
  X: 'request',
  b: 'cookie',
  d: 'data',
  e: 'referer',
  m: 'max-time',
  o: 'output',
  u: 'user',
  x: 'proxy',
}

const WITH_VALUE = new Set([
  ...Object.values(SHORT),
  ...['url', 'json', 'data-raw', 'data-ascii', 'data-binary', 'data-urlencode', 'form-string'],
])

type Option = readonly [name: string, value: string]

/** The call in a curl line; `undefined` without a URL of the API. Throws refused_file for a body file. */
export function readCurl(words: readonly string[]): WrittenCall | undefined {
  const options = [...optionsIn(words)]
  const url = options.find(([name, value]) => name === 'url' && value.includes('/api/'))?.[1]
  if (url === undefined) return undefined
  const [body, headers] = [bodyIn(options), headersIn(options)]
  const isInQuery = options.some(([name]) => name === 'get' || name === 'G')
  const usual = isInQuery || body === undefined ? 'GET' : 'POST'
  const httpMethod = options.findLast(([name]) => name === 'request')?.[1] ?? usual
  return isInQuery
    ? callOfUrl(withQuery(url, body), { httpMethod, headers })
    : callOfUrl(url, { httpMethod, headers, body: body ?? '' })
}

const withQuery = (url: string, query = ''): string => `${url}${url.includes('?') ? '&' : '?'}${query}`

/** The options in their order, short ones without a value by their letters. */
function* optionsIn(words: readonly string[]): Generator<Option> {
  const rest = words.values()
  for (const word of rest)
    for (const [name, value] of optionsOf(word))
      yield value === '' && WITH_VALUE.has(name) ? [name, rest.next().value ?? ''] : [name, value]
}

/** A word's options. Short ones may share it, the last with its value. Any other word is a URL. */
function optionsOf(word: string): Option[] {
  if (!word.startsWith('-')) return [['url', word]]
  const [, long, value = ''] = /^--([^=]+)=?(.*)$/s.exec(word) ?? []
  if (long !== undefined) return [[long, value]]
  const [, letters = '', letter = '', rest = ''] = /^-([^AFHXbdemoux]*)(.?)(.*)$/s.exec(word) ?? []
  return [...[...letters].map((one): Option => [one, '']), [SHORT[letter] ?? '', rest]]
}

const isJson = (options: readonly Option[]): boolean => options.some(([name]) => name === 'json')

function bodyIn(options: readonly Option[]): string | undefined {
  const pieces = options.flatMap(bodyPiece)
  return pieces.length > 0 ? pieces.join(isJson(options) ? '' : '&') : undefined
}

/** Fields of a multipart form are read as those of any other form. */
function bodyPiece([name, value]: Option): string[] {
  if (/^(data|json)/.test(name) && value.startsWith('@'))
    throw fileRefused(`The file ${value} is not read: put its content into the line`)
  if (name === 'data-urlencode' || name.startsWith('form')) return [encodedField(value)]
  return name.startsWith('data') || name === 'json' ? [value] : []
}

function encodedField(field: string): string {
  const index = field.indexOf('=')
  return `${field.slice(0, index + 1)}${encodeURIComponent(field.slice(index + 1))}`
}

/** By lower-case name. A multipart form's type is left out: its fields are joined as in other forms. */
function headersIn(options: readonly Option[]): Readonly<Record<string, string>> {
  const given = options
    .filter(([name]) => name === 'header')
    .filter(([, header]) => header.includes(':'))
    .map(([, header]) => [header.slice(0, header.indexOf(':')), header.slice(header.indexOf(':') + 1)])
    .map(([name = '', value = '']) => [name.trim().toLowerCase(), value.trim()] as const)
    .filter(([, value]) => !value.startsWith('multipart/'))
  const type = isJson(options) ? 'application/json' : 'application/x-www-form-urlencoded'
  return { ...(bodyIn(options) !== undefined && { 'content-type': type }), ...Object.fromEntries(given) }
}
