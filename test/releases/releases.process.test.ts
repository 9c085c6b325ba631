import { readFileSync } from 'node:fs'
import { parse as parseCsv } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashCost, RECOMMENDED_COST } from '#lib/accounts/password.ts'
import { entities } from '#lib/dataset/entities.ts'
import { type Attributes, type Item, readItem } from '#lib/table/items.ts'
import { isUnder, keyForm } from '#lib/table/keys.ts'
import { answersOfLines, type FixtureAnswers } from '#test/releases/answers.ts'
import { fixtureVersions, readFixture } from '#test/releases/fixture.ts'
import { itemIn, linesOfTable, onEmptyTable, putLines } from '#test/releases/fixture-table.ts'
import { migrated } from '#test/releases/migrated.ts'
import { linesOfRelease } from '#test/releases/release-table.ts'
import { keyTexts, missingIn, placeInIndex, readShape, shapeOf } from '#test/releases/stored-shape.ts'
import { keptReleases } from '#test/template/upgrade.ts'
import { consumerPartitions } from '#tools/contracts/partitions.ts'
import { root } from '#tools/machine/program.ts'
import packageJson from '../../package.json' with { type: 'json' }

const ownCost = { ...hashCost }

/** A login with a hash of another cost would replace it by one with a random salt. */
beforeAll(() => void Object.assign(hashCost, RECOMMENDED_COST))
afterAll(() => void Object.assign(hashCost, ownCost))

test('a released version has a fixture, a template and a section in CHANGELOG.md; a later one has neither yet', () => {
  const { version } = packageJson
  const headings = [
    ...readFileSync(`${root}CHANGELOG.md`, 'utf8').matchAll(/^## \[(.+)\](?: - \d{4}-\d\d-\d\d)?$/gm),
  ]
  const known = [headings.map(([, name]) => name), fixtureVersions(), keptReleases()]

  if (version.endsWith('-dev')) {
    const next = version.replace('-dev', '')
    expect(known.map((names) => names.includes(next))).toEqual([false, false, false])
    expect(headings[0]?.[1]).toBe('Unreleased')
  } else expect(known.map((names) => names.includes(version))).toEqual([true, true, true])
})

test.each(fixtureVersions())(
  'the table of version %s is read, changed and exported as then',
  async (version) => {
    const { lines, answers } = readFixture(version)

    expect([answers.damage, answers.damageAfterChanges, answers.warnings]).toEqual([[], [], []])
    expect(await answersOfLines(lines, answers)).toEqual(answers)
  },
)

test.each(fixtureVersions())(
  'the migrated table of version %s is read, changed and exported as then',
  async (version) => {
    const { lines, answers } = readFixture(version)

    const migrated = await answersOfLines(await migratedLines(lines), answers)
    expect(withoutRates(withoutNewLists(migrated))).toEqual(withoutRates(answers))
  },
)

/** The answers without the lists of currencies and locations, which come with the migration. */
const withoutNewLists = (answers: FixtureAnswers): FixtureAnswers =>
  JSON.parse(
    JSON.stringify(answers).replaceAll(
      /\\"GSI1PK\\":\{\\"S\\":\\"(?:CURRENCIES|LOCATIONS)\\"\},\\"GSI1SK\\":\{[^}]*\},/g,
      '',
    ),
  )

/** The answers without exchange rates and days of posting in the export: they come with the migration. */
const withoutRates = ({ exported, ...answers }: FixtureAnswers) => ({
  ...answers,
  exported: Object.entries(exported).map(([file, pieces]) => [
    file,
    /^(payments|invoices|credit_notes|adjustments)\b/.test(file) ? rowsWithoutRates(pieces.join('')) : pieces,
  ]),
})

const rowsWithoutRates = (csv: string) =>
  parseCsv<Record<string, string>>(csv, { columns: true, bom: true }).map(
    ({ exchange_rate, posted_on, ...row }) => row,
  )

/** The lines of a table after `npx tollgate migrate`, without its entry of the log. */
const migratedLines = (lines: readonly string[]): Promise<string[]> =>
  onEmptyTable(new Date(), async (table) => {
    await putLines(table, lines)
    await migrated({ store: table.store, table, now: new Date() }, { pageSize: 1000 })
    return (await linesOfTable(table)).filter((line) => !line.includes('migrated the table from format'))
  })

/** Numbers of a one-minute queue, and a migration's progress: no version reads another's. */
const SHORT_LIVED = ['RACES#<minute>', 'MIGRATION']

describe('the fixture of the next release', () => {
  let items: Attributes[]

  beforeAll(async () => {
    items = (await linesOfRelease()).map(itemIn)
  })

  test('holds an item under every key that lib declares', () => {
    const places = items.flatMap((item) => ['', 'GSI1', 'GSI2'].map((index) => placeInIndex(item, index)))
    const forms = keyTexts.filter(([partition]) => !SHORT_LIVED.includes(partition))
    const missing = forms.filter((text) => !places.some(isUnder(keyForm(...text))))
    const { records, intake, access } = consumerPartitions
    const patterns = [...records, ...intake, ...access]
    const isIn = (pattern: string) => {
      const fits = new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's')
      return places.some(({ PK = '' }) => fits.test(PK))
    }

    expect(forms.length).toBeGreaterThan(50)
    expect(missing).toEqual([])
    expect(patterns.filter((pattern) => !isIn(pattern))).toEqual([])
  })

  /** A new key may be an entry that stored rows lack. `npm run release-fixture -- --format` notes what needs no migration. */
  test('has the shape that is noted of its format: another one is another format', () => {
    expect(missingIn(shapeOf(items), readShape())).toEqual([])
  })

  test('another key, index or type of an attribute is another shape, and a new attribute is not', () => {
    const item = { PK: { S: 'USER#1' }, SK: { S: 'USER' }, GSI1PK: { S: 'OWNER#0' }, GSI1SK: { S: 'USER#1' } }
    const kept = shapeOf([{ ...item, id: { N: '1' } }])
    const { GSI1PK: _, GSI1SK: __, ...unlisted } = item

    expect(missingIn(shapeOf([{ ...item, id: { N: '2' }, name: { S: 'a' } }]), kept)).toEqual([])
    expect(missingIn(shapeOf([{ ...item, id: { S: '1' } }]), kept)).toEqual([
      'USER#<id> / USER: id was N and is S',
    ])
    expect(missingIn(shapeOf([{ ...unlisted, id: { N: '1' } }]), kept)).toEqual([
      'USER#<id> / USER: GSI1 was OWNER#<owner_id> / USER#<id> and is not there',
    ])
    expect(missingIn(shapeOf([{ PK: { S: 'CALLER#a' }, SK: { S: 'CALLER' } }]), {})).toEqual([
      'CALLER#<username> / CALLER is new',
    ])
  })

  test('a cell of a packed row keeps its place, name and type, also before the fixture has a value for it', () => {
    const key = { PK: { S: 'QUEUELOG#2026-03-10' }, SK: { S: '1#2' } }
    const shape = shapeOf([{ ...key, row: { S: '[1,7,1773100000,"call",null]' } }])
    const list = '<list>#<day> / <moment>#<place>'
    const differently = (attributes: object) =>
      missingIn(shape, { [list]: { ...shape[list], ...attributes } })

    expect(shape[list]).toMatchObject({ 'row[02] call_id': 'string', 'row[03] queue_name': '' })
    expect(differently({ 'row[02] call_id': '' })).toEqual([])
    expect(differently({ 'row[02] call_id': 'number' })).toEqual([
      `${list}: row[02] call_id was number and is string`,
    ])
    expect(differently({ 'row[02] queue_name': '' })).toEqual([
      `${list}: row[02] queue_name was blank and is not there`,
    ])
  })

  test.each(entities)('holds a value in every column of a $name', ({ key, columns, read }) => {
    const rows = items.map((item) => readItem({ ...item })).filter(isUnder(key))
    const values = rows.map((row) => read(row) as Item)

    expect(Object.keys(columns).filter((name) => values.every((row) => isBlank(row[name])))).toEqual([])
  })
})

const isBlank = (value: unknown): boolean => value === undefined || value === ''
