import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { dayInput, optionalInput } from '#lib/acts/inputs.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { intakeAdded } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { aWorld } from '#test/world.ts'
import { closeBalances } from '../commands/balance/balance-opening.ts'
import { carryOutAs, declareInputs } from './act-commands.ts'
import { dayOption } from './arguments.ts'
import { changeTable, withTableOptions } from './over-table.ts'

const entriesOf = async (change: (store: Store) => Promise<unknown>, options = {}) => {
  const { store, table } = await aWorld()
  const silenced = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => silenced.mockRestore())
  const named = { endpoint: inject('endpoint'), table: table.tableName }
  await changeTable(named, async (changing) => ((await change(changing)) ? 1 : 0), options)
  return (await listAuditLog(store)).map((entry) => 'action' in entry && entry.action)
}

const PBX = { name: 'pbx1', secret_sha256: '0', added_at: '2026-03-10T12:00:00Z' }

const WORDS = [expect.stringMatching(/^npx tollgate /)]

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['a transaction', (store) => store.transact([intakeAdded(PBX)])],
  ['an update', (store) => store.update(settingsKey, { set: { Nice_Number_Digits: '2' } })],
  ['a batch', (store) => store.putBatch([{ PK: 'A', SK: 'A' }])],
])('what is no act and changes the table by %s has an entry of the log', async (_case, change) => {
  expect(await entriesOf(change)).toEqual(WORDS)
  expect(await entriesOf(change, { logsItself: true })).toEqual([])
})

test('a change that fails halfway has an entry, and one that writes nothing has none', async () => {
  const halfway = async (store: Store) => {
    await store.transact([intakeAdded(PBX)])
    throw new Error('halfway')
  }

  expect(await entriesOf(halfway)).toEqual(WORDS)
  expect(process.exitCode).toBe(1)
  process.exitCode = 0
  expect(await entriesOf((store) => store.get(settingsKey))).toEqual([])
})

test.each([{}, { logsItself: true }])('an interrupted change has an entry that says so', async (options) => {
  const ended = new Promise<void>((resolve) => {
    vi.spyOn(process, 'exit').mockImplementation((() => resolve()) as never)
  })
  onTestFinished(() => void vi.mocked(process.exit).mockRestore())

  const entries = await entriesOf(async () => {
    process.emit('SIGTERM')
    await ended
  }, options)

  expect(entries).toEqual([expect.stringMatching(/ \(interrupted\)$/)])
})

test('an act of many steps has begun before its first one: once interrupted, it is run again', async () => {
  const { store } = await aWorld()
  const told: unknown[] = []
  const act = closeBalances(async () => told.push('a step'))

  await carryOutAs(store, act, { as: undefined, now: new Date(), onProgress: (one) => told.push(one) }, {})

  expect(told).toEqual(['begun', 'a step'])
})

test.each([
  ['today', '2026-03-11'],
  ['yesterday', '2026-03-10'],
  ['2026-03-01', '2026-03-01'],
])('--from %s is a day of the installation, whose zone is ahead of UTC', async (word, day) => {
  const { table } = await aWorld({}, { Timezone: 'Europe/Vilnius' })
  vi.useFakeTimers({ now: new Date('2026-03-10T22:30:00Z'), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const days: unknown[] = []
  const report = withTableOptions(new Command('report'))
  report
    .command('calls')
    .option('--from <DAY>', '', dayOption)
    .option('--customer <NAME>')
    .action(({ from, customer }) => void days.push(from, customer))

  const given = ['--endpoint', inject('endpoint'), '--table', table.tableName, 'calls', '--from', word]
  await report.parseAsync([...given, '--customer', 'today'], { from: 'user' })

  expect(days).toEqual([day, 'today'])

  const drop = report.command('drop') as unknown as CommandUnknownOpts
  declareInputs(drop, { from: optionalInput(dayInput('')) })
  drop.action(() => void days.push(drop.opts()['from']))
  await report.parseAsync([...given.slice(0, 4), 'drop', '--from', word], { from: 'user' })
  expect(days.at(-1)).toBe(day)
  expect(() => dayOption('tomorrow')).toThrow('Use a day of the calendar')
})
