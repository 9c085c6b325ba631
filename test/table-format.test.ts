import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import type { Item } from '#lib/store/items.ts'
import { formatProblem, RELEASE, requireFormat, TABLE_FORMAT } from '#lib/store/table-format.ts'
import { aConsoleClient } from '#test/console/console-client.ts'
import { people } from '#test/examples/examples.ts'
import { consume } from '#test/queue/queue.ts'
import { aWorld, signedForm, type World, warmCalls } from '#test/world.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import packageJson from '../package.json' with { type: 'json' }

const methods = (await loadFunctionFiles()).map(({ method }) => method)

const NEWER: Item = { table_format: TABLE_FORMAT + 1, table_release: '9.1.0' }
const WITHOUT_STAMP: Item = { table_format: undefined, table_release: undefined }

async function aWorldWith(stamp: Item): Promise<World> {
  const world = await aWorld({ users: people })
  await world.store.update(settingsKey, { set: stamp })
  return world
}

test('the release is the version in package.json', () => {
  expect(RELEASE).toBe(packageJson.version)
})

test.each([
  [
    'a newer format',
    NEWER,
    `format ${TABLE_FORMAT + 1}, written by Tollgate 9.1.0`,
    'use Tollgate 9.1.0 or a newer one',
  ],
  ['no stamp', {}, 'no stamp', 'import the dataset into a new one'],
])('the problem of a table with %s names both versions and the remedy', (_what, stamp, table, remedy) => {
  const problem = formatProblem(stamp)

  expect(problem).toContain(table)
  expect(problem).toContain(`Tollgate ${RELEASE}`)
  expect(problem).toContain(remedy)
})

test.each(methods)(
  '$name answers 503 over a table that it cannot read, and changes nothing',
  async (method) => {
    for (const stamp of [NEWER, WITHOUT_STAMP]) {
      const world = await aWorldWith(stamp)
      const before = await world.dump()

      const answer = await world.send(method, { body: signedForm(method, { u: 'admin' }) })

      expect(answer.statusCode).toBe(503)
      expect(answer.body).toContain('<error>The table has another format</error>')
      expect(world.log.at(-1)).toMatchObject({ outcome: 'failed', error: { name: 'UnreadableTable' } })
      expect(await world.dump()).toEqual(before)
    }
  },
)

test('a warm function notices a newer table within a second, and serves it again when the stamp is right', async () => {
  const world = await aWorld({ users: people })
  const [method] = methods.filter(({ name }) => name === 'quickstats_get')
  const call = () => warm(method as Method, 'admin')
  const warm = warmCalls(world)
  const later = () => {
    world.now = new Date(world.now.getTime() + 1000)
  }
  expect(await call()).toContain('<quickstats>')

  await world.store.update(settingsKey, { set: NEWER })
  later()
  expect(await call()).toContain('The table has another format')
  await world.store.update(settingsKey, { set: { table_format: TABLE_FORMAT } })
  later()
  expect(await call()).toContain('<quickstats>')
})

test("the console's API answers 503 over a table that it cannot read", async () => {
  const { status, body } = await aConsoleClient(await aWorldWith(NEWER)).signIn('admin')

  expect(status).toBe(503)
  expect(body).toMatchObject({ error: { message: expect.stringContaining('another format') } })
})

test('messages for a table that the consumer cannot read stay in the queue', async () => {
  const world = await aWorldWith(NEWER)
  const call = { type: 'call', uniqueid: 'c1', calldate: '2026-03-10 11:00:00', billsec: 60, user_id: 10 }

  const { batchItemFailures } = await consume(world, call)

  expect(batchItemFailures).toEqual([{ itemIdentifier: 'm1' }])
  expect(world.log).toContainEqual({
    function: 'ingest_calls',
    message: 'm1',
    outcome: 'failed',
    reason: expect.stringContaining('Tollgate 9.1.0'),
  })
})

test('a table that was just created has the stamp', async () => {
  const { store } = await aWorld()

  expect(() => requireFormat({})).toThrow('no stamp')
  expect(await store.get(settingsKey)).toMatchObject({ table_format: TABLE_FORMAT, table_release: RELEASE })
})
