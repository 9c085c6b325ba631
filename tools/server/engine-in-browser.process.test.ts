import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { accessKeyIn, withoutKey } from '#lib/table/table.ts'
import { openBrowser } from '#test/console/browser.ts'
import { startEngine } from './engine.ts'

const browser = await openBrowser()

/** Serves a web page of another origin, and returns its address. */
async function aForeignPage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>A page</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** Runs in the page: the status that it gets to read, or the error. */
async function asked({
  url,
  key,
  mode,
}: {
  url: string
  key: string
  mode: 'cors' | 'no-cors'
}): Promise<string> {
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260310/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    'x-amz-date': '20260310T120000Z',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    'content-type': 'application/x-amz-json-1.0',
  }
  const sent = mode === 'cors' ? { headers } : {}
  return fetch(url, { method: 'POST', mode, body: '{}', ...sent }).then(
    ({ status }) => `status ${status}`,
    (error) => String(error),
  )
}

test.runIf(browser)('no page of another origin reads the engine, not even with its key', async () => {
  const page = await browser?.newPage()
  onTestFinished(() => browser?.close())
  await page?.goto(await aForeignPage())
  const { endpoint, stop } = await startEngine()
  onTestFinished(stop)
  const url = withoutKey(endpoint)
  const ask = (key: string, mode: 'cors' | 'no-cors') => page?.evaluate(asked, { url, key, mode })

  expect(await ask('local', 'cors')).toContain('TypeError')
  expect(await ask(accessKeyIn(endpoint), 'cors')).toContain('TypeError')
  // The answer of such a request is opaque, and the gate has refused it.
  expect(await ask('local', 'no-cors')).toBe('status 0')
})
