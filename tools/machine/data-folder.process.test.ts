import { chmod, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createClient } from '#lib/table/requests/client.ts'
import { createTable, startEngine } from '#tools/server/engine.ts'
import { prepareDataFolder } from './data-folder.ts'

async function aFolder() {
  const above = await mkdtemp(join(tmpdir(), 'tollgate-'))
  const folder = `${above}/data`
  return {
    folder,
    files: {
      database: `${folder}/tollgate.db`,
      loading: `${folder}/tollgate.loading`,
      archive: `${folder}/tollgate.archive`,
    },
  }
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test('only its owner can read the database and its folder', async () => {
  const { folder, files } = await aFolder()
  await prepareDataFolder(files, false)
  const engine = await startEngine(files.database)
  onTestFinished(engine.stop)
  await createTable(createClient({ endpoint: engine.endpoint, tableName: 'table' }), 'table')

  const stored = await readdir(folder)
  expect(stored).toContain('tollgate.db')
  expect(await modeOf(folder)).toBe('700')
  for (const name of stored) expect([name, await modeOf(join(folder, name))]).toEqual([name, '600'])
})

test('a database that others could read is closed to them and keeps its rows', async () => {
  const { folder, files } = await aFolder()
  await prepareDataFolder(files, false)
  await writeFile(files.database, 'rows')
  await Promise.all([chmod(folder, 0o755), chmod(files.database, 0o644)])

  await prepareDataFolder(files, false)

  expect([await modeOf(folder), await modeOf(files.database)]).toEqual(['700', '600'])
  expect((await stat(files.database)).size).toBe(4)
})
