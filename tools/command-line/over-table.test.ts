import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { dayInput, optionalInput } from '#lib/acts/inputs.ts'
import { inAuditLog, listAuditLog } from '#lib/settings/audit-log.ts'
import { intakeAdded } from '#lib/settings/intake.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { aWorld } from '#test/world.ts'
import { declareInputs } from './act-commands.ts'
import { dayOption } from './arguments.ts'
import { audited, withTableOptions } from './over-table.ts'

const entriesOf = async (change: (store: Store) => Promise<unknown>, isRefused = false) => {
  const { store, now } = await aWorld()
  const made = audited(store, { who: 'olga', words: 'npx tollgate x', clock: () => now }, change)
  if (isRefused) await expect(made).rejects.toThrow()
  else await made
  return (await listAuditLog(store)).map((entry) => [entry.who, 'action' in entry ? entry.action : ''])
}

const now = new Date('2026-03-10T12:00:00Z')

const PBX = { name: 'pbx1', secret_sha256: '0', added_at: now.toISOString() }

test.each<[string, (store: Store) => Promise<unknown>]>([
  ['a transaction', (store) => store.transact([intakeAdded(PBX)])],
  ['an update', (store) => store.update(settingsKey, { set: { Nice_Number_Digits: '2' } })],
  ['a batch', (store) => store.putBatch([{ PK: 'A', SK: 'A' }])],
])('a change by %s has an entry with who, what and when', async (_case, change) => {
  expect(await entriesOf(change)).toEqual([['olga', 'npx tollgate x']])
})

test('a change that fails halfway has an entry, and one that writes nothing has none', async () => {
  const halfway = async (store: Store) => {
    await store.transact([intakeAdded(PBX)])
    throw new Error('halfway')
  }

  expect(await entriesOf(halfway, true)).toEqual([['olga', 'npx tollgate x']])
  expect(await entriesOf((store) => store.get(settingsKey))).toEqual([])
})

test('an interrupted change that has written, or is writing, has an entry that says so', async () => {
  const { store } = await aWorld()
  const change = { who: 'olga', words: 'npx tollgate x', clock: () => now }
  const interrupts: (() => Promise<void>)[] = []
  const onInterrupt = (log: () => Promise<void>) => void interrupts.push(log)

  await audited(store, { ...change, onInterrupt }, async (watched) => {
    await interrupts[0]?.()
    await watched.update(settingsKey, { set: { Nice_Number_Digits: '2' } })
    await interrupts[0]?.()
  })

  const entries = await listAuditLog(store)
  expect(entries.map((entry) => 'action' in entry && entry.action)).toEqual(['npx tollgate x (interrupted)'])
})

test('a change with an entry of its own gets no second one', async () => {
  const own = (store: Store) =>
    store.transact([inAuditLog({ at: now.toISOString(), who: 'admin', action: 'did it' })])

  expect(await entriesOf(own)).toEqual([['admin', 'did it']])
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
