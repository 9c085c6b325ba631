import { expect, test } from 'vitest'
import { ARCHIVED_BEFORE, readSettings } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { CallArchive } from '#lib/table/call-archive.ts'
import { keyIn } from '#lib/table/keys.ts'
import { carolsCall, rate, threeTariffs } from '#test/examples/tariffs.ts'
import { aWorld } from '#test/world.ts'
import { type CallRow, isCall } from '../call.ts'
import { writeCalls } from './call-writing.ts'
import { findStoredCalls } from './change-calls.ts'

const at = (moment: string) => Date.parse(moment) / 1000

const call = (uniqueid: string, moment: string): CallRow => ({
  ...carolsCall,
  uniqueid,
  calldate: at(moment),
})

const archived = call('archived', '2026-03-09T10:00:00Z')
const stored = call('stored', '2026-03-09T11:00:00Z')
const recent = call('recent', '2026-03-10T00:00:00Z')
const missing = call('missing', '2026-03-10T12:00:00Z')

const rates = ['1', '2'].map((tariff_id) => rate({ tariff_id, prefix: '44' }))

/** Calls before 10 March are archived. One of them has left the table, the other one was corrected since. */
async function anArchivedDay() {
  const world = await aWorld({ ...threeTariffs, rates })
  const { store } = world
  const write = (of: typeof store, row: CallRow, digest: string) =>
    writeCalls(of, [{ row, digest }], () => false)
  for (const row of [archived, stored, recent]) await write(store, row, 'first')
  const items = (await world.dump()).filter(isCall)
  const asked: (readonly [string, ...string[]])[] = []
  const archive: CallArchive = {
    find: async (day, calls) => {
      asked.push([day, ...calls.map(({ uniqueid }) => uniqueid)])
      return items.filter(({ PK }) => day === '2026-03-09' && PK === 'CALL#archived')
    },
    calls: () => {
      throw new Error('nobody lists archived calls here')
    },
  }
  await store.removeBatch(items.filter(({ PK }) => PK === 'CALL#archived').map(keyIn))
  await store.update(settingsKey, { set: { [ARCHIVED_BEFORE]: '2026-03-10' } })
  const settings = readSettings({ [ARCHIVED_BEFORE]: '2026-03-10' })
  const table = (of: CallArchive | undefined) => ({ store: { ...store, archive: of }, settings })
  return { table: table(archive), tableAlone: table(undefined), asked, write }
}

test('only the calls that the table lacks of an archived day are looked for in the archive', async () => {
  const { table, asked } = await anArchivedDay()

  const found = await findStoredCalls(table, [missing, archived, recent, stored])

  expect(found.map((one) => one?.uniqueid)).toEqual([undefined, 'archived', 'recent', 'stored'])
  expect(asked).toEqual([['2026-03-09', 'archived']])
})

test('without the archive, only a call that it may have cannot be looked for', async () => {
  const { tableAlone } = await anArchivedDay()

  expect(await findStoredCalls(tableAlone, [missing, stored])).toMatchObject([
    undefined,
    { uniqueid: 'stored' },
  ])
  await expect(findStoredCalls(tableAlone, [archived])).rejects.toMatchObject({
    code: 'unknown_archive',
    values: { day: '2026-03-09' },
  })
})

test('a call that has left the table is corrected like one in it', async () => {
  const { table, write } = await anArchivedDay()

  expect(await write(table.store, archived, 'first')).toEqual(['unchanged'])
  expect(await write(table.store, { ...archived, duration: 90 }, 'second')).toEqual(['changed'])
  expect(await findStoredCalls(table, [archived])).toMatchObject([{ duration: 90, version: 2 }])
})

test('a call may move to another day, unless the archive has its day', async () => {
  const { table, write } = await anArchivedDay()
  const moved = (row: CallRow) =>
    write(table.store, { ...row, calldate: at('2026-03-11T10:00:00Z') }, 'moved')

  expect(await moved(recent)).toEqual(['changed'])
  expect(await moved(stored)).toEqual([
    { refused: 'calldate: the stored call of 2026-03-09 is archived, and keeps its day' },
  ])
})
