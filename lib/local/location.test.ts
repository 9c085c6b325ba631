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
  ['what the options name', { endpoint: other, table: 'mine' }, {}, { tableName: 'mine', endpoint: other }],
  [
    'what the environment names',
    {},
    { TABLE_NAME: 'mine', DYNAMODB_ENDPOINT: other },
    { tableName: 'mine', endpoint: other },
  ],
  ['the options before the environment', { table: 'mine' }, { TABLE_NAME: 'other' }, { tableName: 'mine' }],
  ["AWS's table when only a table is named", { table: 'mine' }, {}, { tableName: 'mine' }],
])('a script works on %s', (_case, wishes, environment, expected) => {
  expect(locationIn({ folder: aFolder(local), environment }, wishes)).toEqual(expected)
})

test("without a local installation it is AWS's table", () => {
  expect(locationIn({ folder: aFolder(), environment: {} }, {})).toEqual({ tableName: 'tollgate' })
})
