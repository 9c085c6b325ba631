import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { locationIn } from './location.ts'

function aFolder(endpoint?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'location-'))
  mkdirSync(join(folder, '.data'))
  if (endpoint) writeFileSync(join(folder, '.data/endpoint'), `${endpoint}\n`)
  return folder
}

const local = 'http://127.0.0.1:8000'
const other = 'http://127.0.0.1:9000'

test.each([
  ['the local installation when nothing is named', {}, {}, { tableName: 'tollgate', endpoint: local }],
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
])('a command works on %s', (_case, options, environment, expected) => {
  expect(locationIn(aFolder(local), environment, options)).toEqual(expected)
})

test('without a local installation a command works on a table of AWS', () => {
  expect(locationIn(aFolder(), {}, {})).toEqual({ tableName: 'tollgate' })
})
