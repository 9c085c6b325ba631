import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { createClient } from '#lib/table/requests/client.ts'
import type { Store } from '#lib/table/store.ts'
import { openTable } from '#tools/command-line/open-table.ts'
import type { DataFiles } from '#tools/machine/data-folder.ts'
import { lockFile } from '#tools/machine/file-lock.ts'
import { createTable, type Engine, startEngine } from '#tools/server/engine.ts'
import { restoreBackup } from '../restore/restore.ts'
import { backUp } from './backup.ts'

async function anInstallation() {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-backup-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'acme-123456')
  const files: DataFiles = {
    database: `${path}.db`,
    loading: `${path}.loading`,
    lock: `${path}.lock`,
    functions: `${path}.functions`,
    archive: `${path}.archive`,
    lastBackup: `${path}.last-backup`,
  }
  return { folder, files }
}

async function started({ database }: DataFiles): Promise<{ engine: Engine; store: Store }> {
  const engine = await startEngine(database)
  onTestFinished(() => engine.stop())
  const location = { tableName: 'tollgate', endpoint: engine.endpoint }
  await createTable(createClient(location), location.tableName)
  return { engine, store: openTable(location) }
}

const now = new Date('2026-03-10T12:00:00Z')

/** Two items that only change together, so that a copy of two moments would show. */
const move = (store: Store, count: number) =>
  store.transact([{ put: { PK: 'A', SK: 'A', count } }, { put: { PK: 'B', SK: 'B', count } }])

test('a backup under load is one moment, with all that was acknowledged before it', async () => {
  const { folder, files } = await anInstallation()
  const first = await started(files)
  await mkdir(files.archive)
  await writeFile(join(files.archive, 'day.parquet'), 'calls')
  let acknowledged = 0
  let isLoaded = true
  const load = (async () => {
    while (isLoaded) {
      await move(first.store, acknowledged + 1)
      acknowledged += 1
    }
  })()
  await expect.poll(() => acknowledged).toBeGreaterThan(20)

  const [before, file] = [acknowledged, join(folder, 'backup.db')]
  await backUp(files, { path: file, now })
  expect(await readFile(files.lastBackup, 'utf8')).toBe(`${now.toISOString()}\n`)
  const after = acknowledged + 1
  await expect.poll(() => acknowledged).toBeGreaterThan(after)
  isLoaded = false
  await load
  await first.engine.stop()
  const lines = await restoreBackup(file, files, now)

  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(join(files.archive, 'day.parquet'), 'utf8')).toBe('calls')
  const { store } = await started(files)
  const [one, other] = [await store.get({ PK: 'A', SK: 'A' }), await store.get({ PK: 'B', SK: 'B' })]
  expect(one?.['count']).toBe(other?.['count'])
  expect(Number(one?.['count'])).toBeGreaterThanOrEqual(before)
  expect(Number(one?.['count'])).toBeLessThanOrEqual(after)
  expect((await listAuditLog(store)).map((entry) => 'action' in entry && entry.action)).toEqual([
    expect.stringMatching(/^npx tollgate restore .*backup\.db$/),
  ])
  expect(lines).toHaveLength(3)
  const kept = await started({ ...files, database: `${files.database}.before-2026-03-10T12-00-00Z` })
  expect((await kept.store.get({ PK: 'A', SK: 'A' }))?.['count']).toBe(acknowledged)
})

test('a folder keeps the newest backups of a dataset, and every other file', async () => {
  const { folder, files } = await anInstallation()
  const { engine } = await started(files)
  const backups = join(folder, 'backups')
  await mkdir(backups)
  await writeFile(join(backups, 'acme-123456-notes.db'), '')

  for (const hour of [1, 2, 3])
    await backUp(files, { path: backups, keep: 2, now: new Date(now.getTime() + hour * 3_600_000) })

  expect((await readdir(backups)).sort()).toEqual([
    'acme-123456-2026-03-10T14-00-00Z.db',
    'acme-123456-2026-03-10T15-00-00Z.db',
    'acme-123456-notes.db',
  ])
  await engine.stop()
})

test('a backup that does not fit on the disk fails, and leaves nothing behind', async () => {
  const { folder, files } = await anInstallation()
  const { engine, store } = await started(files)
  const items = Array.from({ length: 10 }, (_, n) => ({
    put: { PK: 'A', SK: `${n}`, text: 'x'.repeat(390_000) },
  }))
  await store.transact(items)
  const target = { path: join(folder, 'backup.db'), now }
  const copying = `import('${new URL('backup.ts', import.meta.url)}').then(({ backUp }) =>
    backUp(${JSON.stringify(files)}, { ...${JSON.stringify(target)}, now: new Date() }))`
  const full = `trap '' XFSZ; ulimit -f 100; exec "$0" --eval "$1"`

  const { stderr } = spawnSync('sh', ['-c', full, process.execPath, copying], { encoding: 'utf8' })

  expect(stderr).toContain('cannot be copied to')
  expect((await readdir(folder)).filter((name) => /backup/.test(name))).toEqual([])
  await engine.stop()
})

test('what exists is not overwritten, and --keep needs a folder', async () => {
  const { folder, files } = await anInstallation()
  const { engine } = await started(files)
  const file = join(folder, 'backup.db')
  await writeFile(file, 'mine')

  await expect(backUp(files, { path: file, now })).rejects.toThrow('exists already')
  await expect(backUp(files, { path: join(folder, 'none'), keep: 2, now })).rejects.toThrow('mkdir -p')

  expect(await readFile(file, 'utf8')).toBe('mine')
  await engine.stop()
})

test('a restore refuses a damaged file and data in use, and leaves the data as it is', async () => {
  const { folder, files } = await anInstallation()
  const { engine, store } = await started(files)
  await move(store, 7)
  const [good, bad, cut] = ['good.db', 'bad.db', 'cut.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await backUp(files, { path: good, now })
  await writeFile(bad, 'not a database')
  await writeFile(cut, (await readFile(good)).subarray(0, 20_000))
  await engine.stop()

  for (const file of [bad, cut])
    await expect(restoreBackup(file, files, now)).rejects.toThrow(
      'is damaged, or is not a backup of Tollgate',
    )
  const release = lockFile(files.lock, () => 'taken')
  await expect(restoreBackup(good, files, now)).rejects.toThrow('stop it, and restore then')
  release()

  expect(existsSync(`${files.database}.restoring`)).toBe(false)
  const again = await started(files)
  expect((await again.store.get({ PK: 'A', SK: 'A' }))?.['count']).toBe(7)
})
