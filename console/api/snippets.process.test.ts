import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { signatureV2 } from '#lib/api/signature-v2.ts'
import { V2_HEADERS } from '#lib/api/v2-text.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { aServer } from '#test/server.ts'
import type { DescribedMethod } from './catalogue.ts'
import { LANGUAGES, type Language, snippet } from './snippets.ts'
import { v2Snippet } from './v2-snippets.ts'

const METHOD: DescribedMethod = {
  name: 'device_create',
  area: 'devices',
  summary: '',
  callers: { allowed: ['admin'], anonymous: 'Bad login' },
  hashOrders: [{ signs: ['description', 'pin'] }],
  parameters: [],
  example: {},
}

const SENT = { u: 'admin', description: `Frank's "desk" \\ $HOME é`, pin: '4711' }
const KEY = 'key of tests'
const HASH = createHash('sha1').update(`${SENT.description}4711${KEY}`).digest('hex')

const RUN: Readonly<Record<Language, readonly [program: string, ...arguments_: string[]]>> = {
  curl: ['bash', '-c'],
  PHP: ['php', '-r'],
  Python: ['python3', '-c'],
  JavaScript: ['node', '--input-type=module', '-e'],
}

const isInstalled = (program: string): Promise<boolean> =>
  promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  )

/** Runs a program against a server and returns its requests; `undefined` if the program is missing. */
async function arriving(language: Language, write: () => string) {
  const [program, ...flags] = RUN[language]
  const { origin, arrived } = await aServer((_request, response) => response.end('<page/>'))
  Object.assign(globalThis, { document: { baseURI: `${origin}/#/explorer` } })
  const text = write()
  expect(text).toContain('TOLLGATE_KEY')
  if (!(await isInstalled(program))) return undefined

  const env = { ...process.env, TOLLGATE_KEY: KEY }
  const { stdout } = await promisify(execFile)(program, [...flags, text.replace('<?php\n', '')], { env })
  expect(stdout.trim()).toBe('<page/>')
  expect(arrived[0]?.path).toBe('/api/device_create')
  return arrived[0]
}

test.each(LANGUAGES)('%s sends the call with its hash', async (language) => {
  const arrived = await arriving(language, () => snippet(language, METHOD, SENT))

  if (arrived) expect(Object.fromEntries(new URLSearchParams(arrived.body))).toEqual({ ...SENT, hash: HASH })
})

test.each(LANGUAGES)('%s signs the call with v2', async (language) => {
  const arrived = await arriving(language, () => v2Snippet(language, METHOD, SENT))
  if (!arrived) return

  const [timestamp, nonce, signature] = Object.values(V2_HEADERS).map((name) =>
    String(arrived.headers[name.toLowerCase()]),
  )
  const bodyDigest = hexDigest(arrived.body)
  const mediaType = arrived.headers['content-type'] ?? ''
  const request = { verb: 'POST', path: '/api/device_create', query: [], mediaType, bodyDigest }
  expect(Object.fromEntries(new URLSearchParams(arrived.body))).toEqual(SENT)
  expect(signature).toBe(signatureV2({ ...request, timestamp: timestamp ?? '', nonce: nonce ?? '' }, KEY))
})
