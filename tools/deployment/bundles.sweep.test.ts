import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { deployedFunction } from '#test/deployed/deployed-function.ts'
import { NODE_OF_LAMBDA } from '#test/deployed/runtime-client.ts'
import { methodsToTry } from '#test/sweep.ts'
import { routes } from '#test/template/routes.ts'
import { packagedTemplate } from '#test/template/template.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { ANSWERS_FILE } from '#tools/contracts/generated-files.ts'
import { DEMO_TIME, type DemoCopies, importDemo } from '#tools/examples/demo-copies.ts'
import { root } from '#tools/machine/program.ts'

const methods = methodsToTry((await loadFunctionFiles()).map(({ method }) => method))

const readJson = (path: string) => JSON.parse(readFileSync(root + path, 'utf8'))

const answers: Readonly<Record<string, string>> = readJson(ANSWERS_FILE)

let demo: DemoCopies
beforeAll(async () => {
  demo = await importDemo()
})
afterAll(() => demo.remove())

const PREFIX = 'tollgate-prod-'

const routesByPath = new Map(
  routes(await packagedTemplate('prod'), PREFIX).map((route) => [route.path, route]),
)

/** The function that API Gateway calls for an event, by the packaged template. */
function routed({ path }: { readonly path: string }, { tableName, endpoint }: TableLocation) {
  const name = routesByPath.get(path)?.function ?? 'no function'
  return deployedFunction(name, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint }, DEMO_TIME)
}

/** The runtime draws its own random numbers, which make a password and a PIN. */
const withoutChance = (document: unknown): string =>
  String(document).replace(/<(password|pin)>[^<]+</g, '<$1>any<')

/** The refusal of a request with nothing but `u=admin`. */
function refusalOf({ callers, envelope }: Method): RegExp {
  if (envelope === 'plain') return /^User was not found$/
  return callers === 'public' ? /Login failed/ : /<error>Incorrect hash<\/error>/
}

test.each(methods)(
  'the packaged $name answers its example as the source does, and refuses',
  async (method) => {
    const { name } = method
    const example = readJson(`events/${name}.json`)

    const [good, bad] = await demo.on(async (_services, location) => {
      const deployed = await routed(example, location)
      return [await deployed.invoke(example), await deployed.invoke({ ...example, body: 'u=admin' })]
    })

    expect(good).toMatchObject({
      statusCode: 200,
      ...(routesByPath.get(example.path)?.streams && { streamed: true }),
    })
    expect(withoutChance(good['body'])).toBe(withoutChance(answers[name]))
    expect(bad).toMatchObject({ statusCode: 200 })
    expect(bad['body']).toMatch(refusalOf(method))
  },
)

test('in CI the packaged functions run on the Node that is deployed', { skip: !process.env['CI'] }, () => {
  const [, deployed] = /runtime: nodejs(\d+)\.x/.exec(readFileSync(`${root}serverless.yml`, 'utf8')) ?? []
  const version = execFileSync(NODE_OF_LAMBDA, ['--version'], { encoding: 'utf8' })

  expect(version).toMatch(new RegExp(`^v${deployed}\\.`))
})
