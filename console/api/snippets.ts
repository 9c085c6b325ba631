import type { DescribedMethod, SentValues } from './catalogue.ts'
import { urlOf } from './request.ts'
import { piecesOf } from './signing.ts'

/** The language of a snippet by the name on its tab. */
export const LANGUAGES = ['curl', 'PHP', 'Python', 'JavaScript'] as const

export type Language = (typeof LANGUAGES)[number]

interface Request {
  readonly url: string
  readonly sent: readonly (readonly [string, string])[]
  /** The values that are signed, one after the other; `undefined` for a public method. */
  readonly signs: string | undefined
}

/** A program for this call. The key comes from the variable TOLLGATE_KEY and is nowhere in the text. */
export function snippet(language: Language, method: DescribedMethod, values: SentValues): string {
  const pieces = piecesOf(method, values)
  const request = {
    url: urlOf(method.name),
    sent: Object.entries(values).filter(([name]) => name !== 'hash'),
    signs: pieces?.map(({ value }) => value).join(''),
  }
  return WRITERS[language](request)
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
const inPhp = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
const inJson = (text: string): string => JSON.stringify(text)

/** A call as a curl command, its hash included if it has one. */
export const curlLine = (url: string, sent: readonly (readonly [string, string])[]): string =>
  [
    `curl ${inShell(url)}`,
    ...sent.map(([name, value]) => `  --data-urlencode ${inShell(`${name}=${value}`)}`),
  ].join(' \\\n')

const WRITERS: Readonly<Record<Language, (request: Request) => string>> = {
  curl: ({ url, sent, signs }) =>
    [
      ...(signs === undefined
        ? []
        : [`HASH=$(printf %s ${inShell(signs)}"$TOLLGATE_KEY" | sha1sum | cut -d' ' -f1)`]),
      [curlLine(url, sent), ...(signs === undefined ? [] : ['  --data "hash=$HASH"'])].join(' \\\n'),
    ].join('\n'),
  PHP: ({ url, sent, signs }) =>
    [
      '<?php',
      '$params = [',
      ...sent.map(([name, value]) => `    ${inPhp(name)} => ${inPhp(value)},`),
      '];',
      ...(signs === undefined ? [] : [`$params['hash'] = sha1(${inPhp(signs)} . getenv('TOLLGATE_KEY'));`]),
      `$request = curl_init(${inPhp(url)});`,
      'curl_setopt_array($request, [',
      '    CURLOPT_POSTFIELDS => http_build_query($params),',
      '    CURLOPT_RETURNTRANSFER => true,',
      ']);',
      'echo curl_exec($request);',
    ].join('\n'),
  Python: ({ url, sent, signs }) =>
    [
      'import hashlib, os, urllib.parse, urllib.request',
      '',
      'params = {',
      ...sent.map(([name, value]) => `    ${inJson(name)}: ${inJson(value)},`),
      '}',
      ...(signs === undefined
        ? []
        : [
            `signed = ${inJson(signs)} + os.environ["TOLLGATE_KEY"]`,
            'params["hash"] = hashlib.sha1(signed.encode()).hexdigest()',
          ]),
      'body = urllib.parse.urlencode(params).encode()',
      `print(urllib.request.urlopen(${inJson(url)}, body).read().decode())`,
    ].join('\n'),
  JavaScript: ({ url, sent, signs }) =>
    [
      ...(signs === undefined ? [] : ["import { createHash } from 'node:crypto'", '']),
      'const params = {',
      ...sent.map(([name, value]) => `  ${inJson(name)}: ${inJson(value)},`),
      '}',
      ...(signs === undefined
        ? []
        : [
            `params.hash = createHash('sha1').update(${inJson(signs)} + process.env.TOLLGATE_KEY).digest('hex')`,
          ]),
      `const response = await fetch(${inJson(url)}, { method: 'POST', body: new URLSearchParams(params) })`,
      'console.log(await response.text())',
    ].join('\n'),
}
