import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { anEvent } from '#test/event.ts'
import { CONSOLE_PATHS, consoleFile, consoleFileName, describedAt } from './console-file.ts'

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'console-'))
  await Promise.all(
    [...CONSOLE_PATHS, '/console/part-A1.js'].map((path) =>
      writeFile(`${folder}/${consoleFileName(path)}`, `the file of ${path}`),
    ),
  )
  return folder
}

test.each([
  ['/', null, '/', 'text/html'],
  ['/console/{file}', 'console.js', '/console/console.js', 'text/javascript'],
  ['/console/{file}', 'part-A1.js', '/console/part-A1.js', 'text/javascript'],
  ['/console/{file}', 'console.css', '/console/console.css', 'text/css'],
  ['/api/openapi.json', null, '/api/openapi.json', 'application/json'],
])('%s with %s returns the file of %s', async (resource, file, path, type) => {
  const handler = consoleFile(await aFolder())

  const event = { ...anEvent({}), resource, pathParameters: file ? { file } : null }
  const { statusCode, headers, body } = await handler(event)

  expect(statusCode).toBe(200)
  expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(`the file of ${path}`)
  expect(headers?.['Content-Type']).toContain(type)
  expect(headers?.['Content-Security-Policy']).toContain("script-src 'self'; style-src 'self'")
})

test.each(['../index.html', 'other.js', '', '%2e%2e', 'a/../console.js'])(
  'console/%s does not exist',
  async (file) => {
    const handler = consoleFile(await aFolder())

    expect(
      await handler({ ...anEvent({}), resource: '/console/{file}', pathParameters: { file } }),
    ).toMatchObject({
      statusCode: 404,
      body: '',
    })
  },
)

test.each([
  [{ Host: 'localhost:4000' }, '/api/openapi.json', 'http://localhost:4000'],
  [{ Host: 'x.example', 'X-Forwarded-Proto': 'https' }, '/prod/api/openapi.json', 'https://x.example/prod'],
  [{}, '/api/openapi.json', '..'],
])('the description of the API has the address that it was asked at: %j %s', (headers, path, url) => {
  const event = anEvent({})
  const asked = { ...event, headers, requestContext: { ...event.requestContext, path } }
  const described = describedAt(JSON.stringify({ servers: [{ url: '..' }], info: {} }, null, 2), asked)

  expect(JSON.parse(described)).toEqual({ servers: [{ url }], info: {} })
})
