import { randomUUID } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, inject, test, vi } from 'vitest'
import { signatureOf } from '#lib/api/signature.ts'
import type { Handler } from '#lib/api/stack/stack.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { createClient } from '#lib/table/requests/client.ts'
import { createMeter } from '#lib/table/requests/meter.ts'
import { createStore } from '#lib/table/store.ts'
import { aContext, anEvent } from '#test/event.ts'
import { notedLine } from '#test/evidence/log-evidence.ts'
import { writeDoctor } from '#tools/deployment/beside-bundles.ts'
import { esbuildOptions } from '#tools/deployment/bundles.ts'
import { root } from '#tools/machine/location.ts'
import { createTable } from '#tools/server/engine.ts'

const KEY = 'key-of-these-tests'

/** A table with settings only, for functions of another process. */
async function aTableWithSettings(): Promise<void> {
  const location = { tableName: `doctor-${randomUUID()}`, endpoint: inject('endpoint') }
  const client = createClient(location)
  await createTable(client, location.tableName)
  const store = createStore({ client, tableName: location.tableName, meter: createMeter() })
  await store.update(settingsKey, { set: { Allow_API: '1', Explain_Hashes: '1', API_Secret_Key: KEY } })
  vi.stubEnv('TABLE_NAME', location.tableName)
  vi.stubEnv('DYNAMODB_ENDPOINT', location.endpoint)
}

/** A packaged function in a folder like a Lambda's. */
async function aPackage(): Promise<{ readonly folder: string; readonly handler: Handler }> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-'))
  const outfile = `${folder}/functions/devices/devices_get.cjs`
  const entryPoints = ['functions/devices/devices_get.ts']
  await build({ ...esbuildOptions(), absWorkingDir: root, entryPoints, outfile, logLevel: 'silent' })
  return { folder, handler: createRequire(import.meta.url)(outfile).handler }
}

test('a packaged function loads the doctor from its own file, and also answers without it', async () => {
  const lines: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(notedLine(String(line))) > 0)
  await aTableWithSettings()
  const { folder, handler } = await aPackage()
  const hash = signatureOf({ u: 'admin', user_id: '10' }, { signs: ['user_id', 'u'] }, KEY)
  const call = () => handler(anEvent({ body: `u=admin&user_id=10&hash=${hash}` }), aContext())

  const without = await call()
  await writeDoctor(`${folder}/.build/doctor`)
  const explained = await call()

  expect(explained.body).toContain('<error>Incorrect hash</error>')
  expect(without).toEqual(explained)
  const logged = lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  expect(logged.map(({ hash_made_of }) => hash_made_of)).toEqual(['unavailable', 'user_id+u+key'])
})
