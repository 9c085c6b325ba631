import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { pathsOf } from '#tools/contracts/functions-config.ts'
import type { SentParameters } from '#tools/contracts/signed-call.ts'
import { wordedParameters } from '#tools/contracts/words/parameter-words.ts'
import { answerTo } from '#tools/developing/generate.ts'
import { type DemoCopies, importDemo } from '#tools/examples/demo-copies.ts'
import { root } from '#tools/machine/program.ts'
import type { openApi } from './document.ts'
import type { postmanCollection } from './postman.ts'

const document = JSON.parse(readFileSync(`${root}docs/openapi.json`, 'utf8')) as ReturnType<typeof openApi>
const { requestBodies, responses } = document.components
const files = await loadFunctionFiles()

let demo: DemoCopies
beforeAll(async () => {
  demo = await importDemo()
})
afterAll(() => demo.remove())

test('it is what OpenAPI 3.1 asks for', async () => {
  const validator = new Validator()

  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('the validator would notice', async () => {
  const { paths: _paths, ...broken } = { ...document, paths: {}, info: { title: 'Tollgate' } }

  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})

test('every method is in it, under every path', () => {
  const paths = files.flatMap(({ method }) => pathsOf(method))

  expect(Object.keys(document.paths).sort()).toEqual(paths.sort())
})

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = '']) => path,
  )
  const lost = references.filter(
    (path) =>
      path
        .split('/')
        .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document) ===
      undefined,
  )

  expect(references.length).toBeGreaterThan(100)
  expect(lost).toEqual([])
})

test.each(files.map(({ method }) => method))(
  'there are words for the parameters of $name, and no others',
  (method) => {
    expect(wordedParameters(method.name).sort()).toEqual(Object.keys(method.params).sort())
  },
)

/** The content of an answer, by its type. */
type Content = Readonly<Record<string, { readonly examples?: Examples }>>

const contentOf = (response: string) => (responses as Record<string, { content: Content }>)[response]?.content

test.each([
  ['device_update', 'comment has invalid characters'],
  ['device_update', 'comment is invalid'],
  ['user_calls_get', 's_did is not supported'],
])('of %s it has a refusal that follows from the type of a parameter: %s', (name, message) => {
  const examples = Object.values(contentOf(name)?.['text/xml']?.examples ?? {})

  expect(examples.map(({ value }) => value).join()).toContain(`<error>${message}</error>`)
})

test.each([
  ['404', ['text/xml']],
  ['405', ['text/xml', 'text/html']],
  ['500', ['text/xml', 'text/html']],
])('an answer with HTTP %s has the types %j', (status, types) => {
  expect(Object.keys(contentOf(status) ?? {})).toEqual(types)
})

/** The example of a request and of its answer in the document. */
function documented(name: string): { sent: SentParameters; answer: string } {
  const body = requestBodies[name]?.content['application/x-www-form-urlencoded']
  const answer = responses[name as keyof typeof responses] as {
    content: Partial<Record<'text/plain' | 'text/xml', { examples: Examples }>>
  }
  return {
    sent: body?.examples.demo.value ?? {},
    answer: (answer.content['text/plain'] ?? answer.content['text/xml'])?.examples.answer?.value ?? '',
  }
}

const hasPostman = await import('postman-sandbox').then(
  () => true,
  () => false,
)
const skip = !hasPostman && !process.env['TOLLGATE_NEEDS_POSTMAN']

test('the collection for Postman signs its requests itself', { skip }, async () => {
  const collection = JSON.parse(
    readFileSync(`${root}docs/tollgate.postman_collection.json`, 'utf8'),
  ) as ReturnType<typeof postmanCollection>
  const [script] = collection.event
  const requests = collection.item.flatMap(({ item }) => item.map(({ request }) => request))
  const sandbox = await aSandbox()

  for (const request of requests) {
    const name = request.url.path.at(-1) ?? ''
    const method = files.find((file) => file.method.name === name)?.method
    const { hash } = documented(name).sent
    const signed = await sandbox(script, { request, collectionVariables: collection.variable })
    const params = Object.fromEntries(
      signed.body.urlencoded.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]),
    )

    expect(params).toEqual(documented(name).sent)
    expect(method?.callers === 'public' || hash?.length === 40).toBe(true)
  }
  expect(requests).toHaveLength(files.length)
})

interface SignedRequest {
  readonly body: { readonly urlencoded: readonly { key: string; value: string; disabled?: boolean }[] }
}

/** Postman's script sandbox, 30 MB, so an optional peer. newman is the same with a hundred packages. */
async function aSandbox() {
  const { default: Sandbox } = await import('postman-sandbox')
  const context = await promisify(Sandbox.createContext.bind(Sandbox))()
  onTestFinished(() => context.dispose())
  return (script: unknown, given: object): Promise<SignedRequest> =>
    new Promise((resolve, reject) => {
      context.execute(script, { context: given }, (error: Error | null, { request }: { request: unknown }) =>
        error ? reject(error) : resolve(JSON.parse(JSON.stringify(request)) as SignedRequest),
      )
    })
}

type Examples = Readonly<Record<string, { readonly value: string }>>

const isRead = ({ method }: (typeof files)[number]) => method.access === 'read'

test.each(files.filter((file) => !isRead(file)).map(({ method }) => method))(
  'the demo answers the example of $name byte for byte',
  async (method) => {
    const { sent, answer } = documented(method.name)

    expect(answer).not.toBe('')
    expect(await demo.on((services) => answerTo(services, method, sent))).toBe(answer)
  },
)

test('the demo answers the examples of all methods that only read byte for byte', () =>
  demo.on(async (services) => {
    for (const { method } of files.filter(isRead)) {
      const { sent, answer } = documented(method.name)

      expect(answer).not.toBe('')
      expect([method.name, await answerTo(services, method, sent)]).toEqual([method.name, answer])
    }
  }))
