import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore } from '#lib/ingest/file-store.ts'
import { deliverToQueue } from '#lib/ingest/http/deliver-to-queue.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { searchedCalls, suspenseOf } from '#test/dump.ts'
import { people } from '#test/examples/examples.ts'
import { aFailingClient } from '#test/faults/faulty-endpoint.ts'
import { ASTERISK_CALL, anOperator, zoeAppears } from '#test/mediation/csv-switch.ts'
import { anIntake, post } from '#test/mediation/intake.ts'
import { consumerOf } from '#test/queue/queue.ts'
import { aQueueAndBucket } from '#test/queue/queue-and-bucket.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { ringing } from '#test/template/ringing.ts'
import { packagedTemplate } from '#test/template/template.ts'
import { signedForm, type World, withClient } from '#test/world.ts'
import { loadCommand } from '#tools/command-list.ts'
import { retrySuspense } from '#tools/commands/suspense/suspense.ts'
import { root } from '#tools/machine/program.ts'
import { predicateOf } from '#tools/server/metrics.ts'
import { method as devicesGet } from '../functions/devices/devices_get.ts'

const stage = await packagedTemplate('prod', EVERYTHING)
const page = readFileSync(`${root}docs/operations.md`, 'utf8')

/** The page's section about an alarm. */
const sectionOf = (alarm: string): string => page.split(`\n### ${alarm}\n`)[1]?.split(/\n##/)[0] ?? ''

/** The queries of Logs Insights in the section of an alarm: the condition behind the word `filter`. */
const queriesOf = (alarm: string): string[] =>
  [...sectionOf(alarm).matchAll(/^[`]?filter ([^|`\n]+)|`filter ([^|`]+)/gm)].map(([, one, other]) =>
    (one ?? other ?? '').trim(),
  )

/** As a filter pattern, which CloudWatch writes in another way. */
const selects = (query: string) =>
  predicateOf(
    `{ ${query
      .replace(
        /(\w+) in \[([^\]]+)\]/g,
        (_, name, values: string) =>
          `(${values
            .split(',')
            .map((value) => `$.${name} = ${value.trim()}`)
            .join(' || ')})`,
      )
      .replace(/(\w+) like ("[^"]*)"/g, '$1 = $2*"')
      .replace(/(?<![$.\w"])([a-z_]+) (=|>)/g, '$.$1 $2')
      .replaceAll(' and ', ' && ')
      .replaceAll(' or ', ' || ')} }`,
  )

const pageFinds = (alarm: string, lines: readonly LogFields[]) =>
  queriesOf(alarm).map((query) => lines.filter(selects(query)).length)

/** The files of a switch that numbers them, consumed as they come. Returns the lines that this printed. */
async function drop(world: World, ...numbers: readonly number[]): Promise<World['log']> {
  const [aws, before] = [await aQueueAndBucket(), world.log.length]
  const name = 'ingest_record_files'
  const files = awsFileStore(aws.environment(name))
  const consumer = fileConsumer(name, { ...world.services, files, prefix: recordsPrefix, partBytes: 9999 })
  for (const number of numbers)
    await aws.put(
      `switches/fs1/asterisk-json/cdr_20260310_${number}.json`,
      JSON.stringify({ ...ASTERISK_CALL, uniqueid: `1773136800.${number}` }),
    )
  await aws.consume(name, consumer)
  return world.log.slice(before)
}

test('a switch that falls silent rings, the page finds the file that is missing, and it is stored when it comes', async () => {
  const world = await anOperator()
  const lines = await drop(world, 16, 18)

  expect(ringing(stage, { lines })).not.toContain('AlarmTopic: silent-switch-fs1')
  expect(ringing(stage, { lines: [] })).toEqual(
    expect.arrayContaining(['PageTopic: no-calls', 'AlarmTopic: silent-switch-fs1']),
  )
  const [, pattern = ''] = /parse key \/(.+)\/$/m.exec(sectionOf('silent-switch')) ?? []
  const numbers = lines.map(({ key }) =>
    Number(new RegExp(pattern.replace('csv', 'json')).exec(String(key))?.groups?.['n']),
  )
  expect(Math.max(...numbers) - Math.min(...numbers) + 1 - new Set(numbers).size).toBe(1)
  await drop(world, 17)
  expect(await searchedCalls(world)).toHaveLength(3)
})

test('a poisoned message and a CDR of nobody ring, the page finds both, and both are stored after the cure', async () => {
  const [world, aws] = [await anOperator(), await aQueueAndBucket()]
  const call = {
    type: 'call',
    calldate: '2026-03-10 11:00:00',
    billsec: 60,
    hangupcause: 16,
    user_price: '0.5',
  }
  await aws.send('RecordQueue', JSON.stringify({ ...call, uniqueid: 'u9', user_id: 9999 }))
  await post(world, 'asterisk-json', {
    body: JSON.stringify({ ...ASTERISK_CALL, accountcode: 'zoe' }),
    headers: { authorization: await anIntake(world, 'fs1') },
    deliver: deliverToQueue(aws.environment('intake')),
  })
  await aws.consume('ingest_calls', consumerOf(world))
  const waiting = (await aws.messagesIn('RecordDeadLetters')).length
  const metrics = { 'RecordDeadLetters ApproximateNumberOfMessagesVisible': waiting }

  expect(ringing(stage, { lines: world.log, metrics })).toEqual(
    expect.arrayContaining(['AlarmTopic: suspended-records', 'AlarmTopic: record-dead-letters']),
  )
  expect(pageFinds('record-dead-letters', world.log)).toEqual([5])
  expect(world.log.filter(({ reason }) => String(reason).includes('there is no account'))).toHaveLength(5)
  expect(sectionOf('record-dead-letters')).toContain('`there is no account`')
  expect(await suspenseOf(world)).toMatchObject([{ reason: 'unknown_account' }])
  await zoeAppears(world)
  await retrySuspense(await openMediation(world.store, world.now), {})
  await world.given({ users: [{ ...people.find(({ id }) => id === '10'), id: '9999', username: 'late' }] })
  await aws.redrive('RecordDeadLetters', 'RecordQueue')
  await aws.consume('ingest_calls', consumerOf(world))
  expect([await suspenseOf(world), await aws.messagesIn('RecordDeadLetters')]).toEqual([[], []])
  expect(await searchedCalls(world)).toHaveLength(2)
})

test('a right that was taken away pages somebody, and the page finds its error', async () => {
  const world = await anOperator()
  const denied = withClient(world, await aFailingClient(Array(9).fill('access denied')))
  const answers = []
  for (let n = 0; n < 3; n += 1)
    answers.push(await denied.send(devicesGet, { body: signedForm(devicesGet, { u: 'admin', user_id: 10 }) }))
  const errors = answers.filter(({ statusCode }) => statusCode >= 500).length
  const metrics = { '5XXError': errors, Count: 200, Latency: 20 }

  expect(ringing(stage, { lines: world.log, metrics })).toEqual(
    expect.arrayContaining(['PageTopic: server-errors', 'AlarmTopic: failed-calls']),
  )
  expect(world.log.filter(selects('outcome = "failed"'))).toHaveLength(3)
  expect(JSON.stringify(world.log)).toContain('AccessDenied')
  expect(sectionOf('failed-calls')).toContain('`AccessDenied` |')
})

const commands = ['docs/operations.md', 'docs/deployment.md'].flatMap((file) =>
  [...readFileSync(root + file, 'utf8').matchAll(/npx tollgate ([a-z][^`\n|#]*)/g)].map(
    ([, line = '']) => line,
  ),
)

/** The options of a command and of those above it. */
const optionsOf = (command: Command | null): (string | undefined)[] =>
  command ? [...command.options.map(({ long }) => long), ...optionsOf(command.parent)] : []

test.each([...new Set(commands)])('npx tollgate %s is a command with these options', async (line) => {
  const [name = '', ...words] = line.split(/\s+/)
  const command = new Command(name)
  const { declare } = await loadCommand(name)
  declare(command)
  const verb = command.commands.find((one) => one.name() === words[0])
  const known = optionsOf(verb ?? command)

  expect(words.filter((word) => word.startsWith('--') && !known.includes(word))).toEqual([])
  expect(command.commands.length === 0 || verb !== undefined || words.length === 0).toBe(true)
})
