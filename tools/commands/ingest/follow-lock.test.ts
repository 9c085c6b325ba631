import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { aWorld } from '#test/world.ts'
import { dataFolder } from '../../machine/data-folder.ts'
import { followFile } from './follow-file.ts'

const SOURCE = 'follow-lock-test'

const removeState = async () => {
  const names = (await readdir(dataFolder)).filter((name) => name.startsWith(`follow-${SOURCE}-`))
  await Promise.all(names.map((name) => rm(join(dataFolder, name))))
}

test('a second follower of a file is refused until the first one has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-follow-'))
  onTestFinished(removeState)
  const path = join(folder, 'cdr.json')
  await writeFile(path, '{"broken"\n')
  const { store } = await aWorld()
  const stop = new AbortController()
  const options = { format: 'freeswitch-json', source: SOURCE }
  const follow = (signal: AbortSignal) => followFile(store, options, path, signal)
  const first = follow(stop.signal)

  expect((await first.next()).value).toContain('1 suspended')
  await expect(follow(stop.signal).next()).rejects.toThrow(
    `${path} is already followed by process ${process.pid}: stop it first`,
  )
  stop.abort()
  expect((await first.next()).done).toBe(true)
  await writeFile(path, '{"broken again"\n')
  const next = follow(new AbortController().signal)
  expect((await next.next()).value).toContain('1 suspended')
  await next.return(undefined)
})
