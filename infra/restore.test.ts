import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stackTags } from '#test/template/handler-actions.ts'
import { root } from '#tools/machine/location.ts'

/** Notes its arguments, and answers the questions of the script. */
const AWS = `#!/bin/sh
echo "$*" >> "$NOTES"
case "$*" in
  *list-event-source-mappings*) echo "$CONSUMERS" ;;
  *describe-stacks*) echo tollgate-prod-Table ;;
  *restore-table-to-point-in-time*) [ -z "$REFUSED" ] || exit 254; echo arn:restored ;;
  *describe-table*) echo "$STATUS" ;;
esac`

/** Runs the script with a command line of AWS that only notes what it is asked. */
async function restoreWith(change: NodeJS.ProcessEnv, ...words: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-restore-'))
  await writeFile(join(folder, 'aws'), AWS)
  await chmod(join(folder, 'aws'), 0o755)
  const notes = join(folder, 'notes')
  const PATH = `${folder}:${process.env['PATH']}`
  const env = { ...process.env, PATH, NOTES: notes, STATUS: 'ACTIVE', ...change }
  const { status } = spawnSync('bash', [`${root}infra/restore.sh`, ...words], { env })
  const asked = (await readFile(notes, 'utf8')).trim().split('\n')
  return {
    status,
    asked: asked.map((line) => line.split(' ').slice(0, 2).join(' ')),
    whole: asked.join('\n'),
  }
}

const restore = (consumers: string, ...words: string[]) => restoreWith({ CONSUMERS: consumers }, ...words)

test('a restore stops the three consumers, and protects the new table', async () => {
  const { status, asked, whole } = await restore('a b c', 'prod', 'restored', '2026-03-10T11:59:00Z')

  expect(status).toBe(0)
  expect(asked).toEqual([
    'cloudformation describe-stacks',
    'dynamodb restore-table-to-point-in-time',
    'lambda list-event-source-mappings',
    ...Array(3).fill('lambda update-event-source-mapping'),
    'dynamodb describe-table',
    'dynamodb tag-resource',
    'dynamodb update-continuous-backups',
    'dynamodb update-time-to-live',
    'dynamodb update-table',
  ])
  expect(whole).toContain('--uuid b --no-enabled')
  const tags = Object.entries(stackTags('prod')).map(([tag, value]) => `Key=${tag},Value=${value}`)
  expect(whole).toContain(`--resource-arn arn:restored --tags ${tags.join(' ')}`)
  expect(whole).toContain('--source-table-name tollgate-prod-Table --target-table-name restored')
})

const RESTORE = ['prod', 'restored', '2026-03-10T11:59:00Z'] as const

test('without the right to restore, nothing stands still', async () => {
  const { status, asked } = await restoreWith({ CONSUMERS: 'a b c', REFUSED: 'yes' }, ...RESTORE)

  expect([status, asked]).toEqual([
    254,
    ['cloudformation describe-stacks', 'dynamodb restore-table-to-point-in-time'],
  ])
})

test('the consumers run again if the new table does not become active', async () => {
  const { status, whole } = await restoreWith({ CONSUMERS: 'a b c', STATUS: 'INACCESSIBLE' }, ...RESTORE)

  expect(status).not.toBe(0)
  expect(whole).toContain('--uuid c --enabled')
  expect(whole).not.toContain('tag-resource')
})

test('stop stops the consumers and restores nothing', async () => {
  const { status, asked, whole } = await restore('a b c', 'prod', 'stop')

  expect([status, asked.length]).toEqual([0, 4])
  expect(whole).toContain('--uuid c --no-enabled')
})

test('resume starts the consumers, and a restore ends while one is missing', async () => {
  expect((await restore('a b c', 'prod', 'resume')).whole).toContain('--uuid c --enabled')
  const { status, asked } = await restore('a b', ...RESTORE)
  expect([status, asked.includes('dynamodb tag-resource')]).toEqual([1, false])
})
