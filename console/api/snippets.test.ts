import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { aServer } from '#test/server.ts'
import type { Method } from './catalogue.ts'
import { LANGUAGES, type Language, snippet } from './snippets.ts'

const METHOD: Method = {
  name: 'device_create',
  area: 'devices',
  summary: '',
  callers: { allowed: ['admin'], anonymous: 'Bad login' },
  hashOrders: [{ signs: ['description', 'pin'] }],
  parameters: [],
  example: {},
}

const SENT = { u: 'admin', description: `Frank's "desk" \\ $HOME é`, pin: '4711' }
const HASH = createHash('sha1').update(`${SENT.description}4711key of tests`).digest('hex')

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

test.each(LANGUAGES)('%s sends the call with its hash', async (language) => {
  const [program, ...flags] = RUN[language]
  const { origin, arrived } = await aServer((_request, response) => response.end('<page/>'))
  Object.assign(globalThis, { document: { baseURI: `${origin}/#/explorer` } })
  const text = snippet(language, METHOD, SENT)
  if (!(await isInstalled(program))) return expect(text).toContain('TOLLGATE_KEY')

  const env = { ...process.env, TOLLGATE_KEY: 'key of tests' }
  const { stdout } = await promisify(execFile)(program, [...flags, text.replace('<?php\n', '')], { env })

  expect(stdout.trim()).toBe('<page/>')
  expect(arrived[0]?.path).toBe('/api/device_create')
  expect(Object.fromEntries(new URLSearchParams(arrived[0]?.body))).toEqual({ ...SENT, hash: HASH })
})
