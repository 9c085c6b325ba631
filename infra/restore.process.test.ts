import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { grants, isLikePattern } from '#test/template/access.ts'
import { stackTags } from '#test/template/handler-actions.ts'
import { schemaComplaints } from '#test/template/schema.ts'
import { ofType, packagedTemplate } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

/** Notes its arguments, and answers the questions of the script. */
const AWS = `#!/bin/sh
echo "$*" >> "$NOTES"
case "$*" in
  *list-event-source-mappings*) echo "$CONSUMERS" ;;
  *describe-stacks*) echo tollgate-prod-Table ;;
  *restore-table-to-point-in-time*|*start-restore-job*) [ -z "$REFUSED" ] || exit 254; echo job ;;
  *describe-restore-job*) echo "$JOB_STATUS" ;;
  *Table.TableArn*) echo arn:restored ;;
  *describe-table*) echo "$TABLE_STATUS" ;;
esac`

/** Runs the script with a command line of AWS that only notes what it is asked. */
async function restoreWith(change: NodeJS.ProcessEnv, ...words: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-restore-'))
  await writeFile(join(folder, 'aws'), AWS)
  await chmod(join(folder, 'aws'), 0o755)
  const notes = join(folder, 'notes')
  const PATH = `${folder}:${process.env['PATH']}`
  const env = {
    ...process.env,
    PATH,
    NOTES: notes,
    TABLE_STATUS: 'ACTIVE',
    JOB_STATUS: 'COMPLETED',
    ...change,
  }
  const { status } = spawnSync('bash', [`${root}infra/restore.sh`, ...words], { env })
  const asked = (await readFile(notes, 'utf8')).trim().split('\n')
  return {
    status,
    asked: asked.map((line) => line.split(' ').slice(0, 2).join(' ')),
    whole: asked.join('\n'),
  }
}

const restore = (consumers: string, ...words: string[]) => restoreWith({ CONSUMERS: consumers }, ...words)

test('a restore stops the four consumers, and protects the new table', async () => {
  const { status, asked, whole } = await restore('a b c d', 'prod', 'restored', '2026-03-10T11:59:00Z')

  expect(status).toBe(0)
  expect(asked).toEqual([
    'cloudformation describe-stacks',
    'dynamodb restore-table-to-point-in-time',
    'lambda list-event-source-mappings',
    ...Array(4).fill('lambda update-event-source-mapping'),
    'dynamodb describe-table',
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

const COPY = 'arn:aws:backup:eu-west-1:123456789012:recovery-point:1A2B'

test('a copy of a lost Region is restored by the role that made it', async () => {
  const { status, asked, whole } = await restore('a b c d', 'prod', 'restored', COPY)

  expect(status).toBe(0)
  expect(asked.slice(0, 2)).toEqual(['backup start-restore-job', 'lambda list-event-source-mappings'])
  expect(asked.slice(6, 8)).toEqual(['backup describe-restore-job', 'dynamodb describe-table'])
  expect(whole).toContain(
    `--recovery-point-arn ${COPY} --metadata targetTableName=restored,encryptionType=Default`,
  )
  expect(whole).toContain('--iam-role-arn arn:aws:iam::123456789012:role/copies-of-tollgate-prod')
  expect(whole).toContain('--resource-arn arn:restored --tags')
})

test('the consumers run again if a copy could not be restored', async () => {
  const change = { CONSUMERS: 'a b c d', JOB_STATUS: 'FAILED', TABLE_STATUS: '' }
  const { status, whole } = await restoreWith(change, 'prod', 'restored', COPY)

  expect(status).not.toBe(0)
  expect(whole).toContain('--uuid d --enabled')
})

const RESTORE = ['prod', 'restored', '2026-03-10T11:59:00Z'] as const

test('without the right to restore, nothing stands still', async () => {
  const { status, asked } = await restoreWith({ CONSUMERS: 'a b c d', REFUSED: 'yes' }, ...RESTORE)

  expect([status, asked]).toEqual([
    254,
    ['cloudformation describe-stacks', 'dynamodb restore-table-to-point-in-time'],
  ])
})

test('the consumers run again if the new table does not become active', async () => {
  const { status, whole } = await restoreWith(
    { CONSUMERS: 'a b c d', TABLE_STATUS: 'INACCESSIBLE' },
    ...RESTORE,
  )

  expect(status).not.toBe(0)
  expect(whole).toContain('--uuid d --enabled')
  expect(whole).not.toContain('tag-resource')
})

test('stop stops the consumers and restores nothing', async () => {
  const { status, asked, whole } = await restore('a b c d', 'prod', 'stop')

  expect([status, asked.length]).toEqual([0, 5])
  expect(whole).toContain('--uuid d --no-enabled')
})

test('resume starts the consumers, and a restore ends while one is missing', async () => {
  expect((await restore('a b c d', 'prod', 'resume')).whole).toContain('--uuid d --enabled')
  const { status, asked } = await restore('a b c', ...RESTORE)
  expect([status, asked.includes('dynamodb tag-resource')]).toEqual([1, false])
})

test('it knows all consumers that a stage has', async () => {
  const consumers = ofType(await packagedTemplate('prod'), 'AWS::Lambda::EventSourceMapping')

  expect(readFileSync(`${root}infra/restore.sh`, 'utf8')).toContain(`expected ${consumers.length}:`)
})

const onCall = parse(readFileSync(`${root}infra/on-call.yml`, 'utf8'))
const granted = grants(onCall)['OnCall'] ?? []

test('who is on call may do what the script and docs/operations.md say, and nothing beyond', async () => {
  const pages = ['infra/restore.sh', 'docs/operations.md']
    .map((file) => readFileSync(root + file, 'utf8'))
    .join()
  const called = [...pages.matchAll(/\baws ([a-z]+) (?!deploy)([a-z-]+)/g)].map(
    ([, service, command = '']) =>
      `${service}:${command.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}`,
  )
  const actions = granted.flatMap((one) => one.actions)
  const { Parameters, ...template } = onCall

  expect(called).toContain('dynamodb:RestoreTableToPointInTime')
  expect(called.filter((one) => !actions.some((action) => isLikePattern(one, action)))).toEqual([])
  expect(
    actions.filter((action) =>
      /^(iam:(?!PassRole$)|sts|kms:)|Function(Code|Configuration)|Delete(Table|Queue|Stack)/.test(action),
    ),
  ).toEqual([])
  expect(
    granted.filter(
      ({ resources, condition }) =>
        !condition && resources.some((one) => !/tollgate-\$\{Stage\}|^\*$/.test(one)),
    ),
  ).toEqual([])
  expect(await schemaComplaints(template)).toEqual([])
})

test.each(['GetItem', 'Query', 'Scan', 'BatchWriteItem', 'UpdateItem', 'PutItem', 'DeleteItem'])(
  'a restore needs %s on the new table',
  (action) => {
    expect(granted.flatMap(({ actions }) => actions)).toContain(`dynamodb:${action}`)
  },
)
