import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installationAt, locationIn, refuseAnyOfSeveral } from './location.ts'
import { announceRunning } from './running.ts'

/** A folder with an installation for each endpoint, on the dataset `/data/<hour>`. */
async function aFolder(...endpoints: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'location-'))
  for (const [hour, endpoint] of endpoints.entries()) {
    const withdraw = await announceRunning(folder, {
      url: `http://localhost:480${hour}`,
      dataset: `/data/${hour}`,
      location: { tableName: 'tollgate', endpoint },
      startedAt: `2026-03-10T0${hour}:00:00.000Z`,
    })
    onTestFinished(withdraw)
  }
  return folder
}

const local = 'http://127.0.0.1:8000'
const other = 'http://127.0.0.1:9000'

test.each([
  [
    'the local installation that started first when nothing is named',
    {},
    {},
    { tableName: 'tollgate', endpoint: local },
  ],
  [
    'the local installation of a dataset',
    { data: '/data/1' },
    { TABLE_NAME: 'mine' },
    { tableName: 'tollgate', endpoint: other },
  ],
  [
    'the table that the options name',
    { endpoint: other, table: 'mine' },
    {},
    { tableName: 'mine', endpoint: other },
  ],
  [
    'the table that the environment names',
    {},
    { TABLE_NAME: 'mine', DYNAMODB_ENDPOINT: other },
    { tableName: 'mine', endpoint: other },
  ],
  [
    'the table of the options if the environment names another one',
    { table: 'mine' },
    { TABLE_NAME: 'other' },
    { tableName: 'mine' },
  ],
  ['a table of AWS when only a table is named', { table: 'mine' }, {}, { tableName: 'mine' }],
])('a command works on %s', async (_case, options, environment, expected) => {
  expect(locationIn(await aFolder(local, other), environment, options)).toEqual(expected)
})

test('without a local installation a command works on a table of AWS', async () => {
  expect(locationIn(await aFolder(), {}, {})).toEqual({ tableName: 'tollgate' })
})

test('a dataset whose installation does not run is refused with the remedy', async () => {
  const folder = await aFolder(local)

  expect(() => locationIn(folder, {}, { data: 'mine' })).toThrow('npm start -- --data mine')
})

test('a change is refused while several installations run and none is named', async () => {
  const folder = await aFolder(local, other)

  expect(() => refuseAnyOfSeveral(folder, {}, {})).toThrow(
    '2 installations run here: pass --data /data/0 (http://localhost:4800) or --data /data/1 (http://localhost:4801)',
  )
  for (const named of [{ data: '/data/1' }, { table: 'mine' }, { endpoint: other }])
    expect(() => refuseAnyOfSeveral(folder, {}, named)).not.toThrow()
  expect(() => refuseAnyOfSeveral(folder, { TABLE_NAME: 'mine' }, {})).not.toThrow()
})

test('a change goes to the only installation that runs', async () => {
  const folder = await aFolder(local)

  expect(() => refuseAnyOfSeveral(folder, {}, {})).not.toThrow()
})

test.each([
  [{ tableName: 'tollgate', endpoint: local }, '/data/0 at http://localhost:4800'],
  [{ tableName: 'mine', endpoint: local }, `table mine at ${local}`],
  [{ tableName: 'tollgate-prod' }, 'table tollgate-prod at AWS, eu-central-1'],
])('an installation is named by its dataset and address, otherwise by its table', async (location, name) => {
  expect(installationAt(await aFolder(local), location, 'eu-central-1')).toBe(name)
})
