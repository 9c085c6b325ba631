import { readdirSync, readFileSync } from 'node:fs'
import { parse as parseCsv } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashCost, RECOMMENDED_COST } from '#lib/accounts/password.ts'
import { entities } from '#lib/dataset/entities.ts'
import { type Attributes, type Item, readItem } from '#lib/table/items.ts'
import { isUnder, keyForm } from '#lib/table/keys.ts'
import { answersOfLines, type FixtureAnswers } from '#test/releases/answers.ts'
import { fixtureVersions, readFixture } from '#test/releases/fixture.ts'
import { itemIn, linesOfTable, onEmptyTable, putLines } from '#test/releases/fixture-table.ts'
import { linesOfRelease } from '#test/releases/release-table.ts'
import { scannedPages } from '#tools/command-line/open-table.ts'
import { migrateTable } from '#tools/commands/migrate/migrate-table.ts'
import { consumerPartitions } from '#tools/contracts/partitions.ts'
import { root } from '#tools/machine/location.ts'
import packageJson from '../../package.json' with { type: 'json' }

const ownCost = { ...hashCost }

/** A login with a hash of another cost would replace it by one with a random salt. */
beforeAll(() => void Object.assign(hashCost, RECOMMENDED_COST))
afterAll(() => void Object.assign(hashCost, ownCost))

test('the version in package.json has a fixture, and a section in CHANGELOG.md', () => {
  const { version } = packageJson

  expect(fixtureVersions()).toContain(version)
  expect(readFileSync(`${root}CHANGELOG.md`, 'utf8')).toMatch(
    new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
  )
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

/** The answers without the exchange rates in the export: those of documents come with the migration. */
const withoutRates = ({ exported, ...answers }: FixtureAnswers) => ({
  ...answers,
  exported: Object.entries(exported).map(([file, pieces]) => [
    file,
    /^(payments|invoices|credit_notes)\b/.test(file) ? rowsWithoutRates(pieces.join('')) : pieces,
  ]),
})

const rowsWithoutRates = (csv: string) =>
  parseCsv<Record<string, string>>(csv, { columns: true, bom: true }).map(({ exchange_rate, ...row }) => row)

/** The lines of a table after `npx tollgate migrate`. */
const migratedLines = (lines: readonly string[]): Promise<string[]> =>
  onEmptyTable(new Date(), async (table) => {
    await putLines(table, lines)
    const { store } = table
    await migrateTable({
      store,
      pagesFrom: (start) => scannedPages({ ...table, meter: store.meter }, { start }),
      dryRun: false,
      pace: async () => {},
      onProgress: () => {},
      onProblem: (sentence) => expect.fail(sentence),
    })
    return linesOfTable(table)
  })

/** Numbers of a one-minute queue, and a migration's progress: no version reads another's. */
const SHORT_LIVED = ['RACES#<minute>', 'MIGRATION']

/** The keys that lib declares by their text, without those of examples in comments. */
const declaredTexts = readdirSync(`${root}lib`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((name) => [
    ...readFileSync(`${root}lib/${name}`, 'utf8')
      .replace(/\/\*\*.*?\*\//gs, '')
      .matchAll(/\bkeyForm\(\s*'([^']+)',\s*'([^']+)',?\s*\)/g),
  ])
  .map(([, partition = '', place = '']) => [partition, place] as const)

const entityTexts = entities.flatMap(({ key, list, claims, copies }) =>
  [key, list, ...[...claims, ...copies].map((entry) => entry.key)].flatMap((form) =>
    form ? [form.text] : [],
  ),
)

/** The places of an item: its key, and its keys in the indexes. */
const placesOf = (item: Attributes) =>
  ['', 'GSI1', 'GSI2'].map((index) => ({ PK: item[`${index}PK`]?.S, SK: item[`${index}SK`]?.S }))

describe('the fixture of the next release', () => {
  let items: Attributes[]

  beforeAll(async () => {
    items = (await linesOfRelease()).map(itemIn)
  })

  test('holds an item under every key that lib declares', () => {
    const places = items.flatMap(placesOf)
    const forms = [...declaredTexts, ...entityTexts].filter(([partition]) => !SHORT_LIVED.includes(partition))
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

  test.each(entities)('holds a value in every column of a $name', ({ key, columns, read }) => {
    const rows = items.map((item) => readItem({ ...item })).filter(isUnder(key))
    const values = rows.map((row) => read(row) as Item)

    expect(Object.keys(columns).filter((name) => values.every((row) => isBlank(row[name])))).toEqual([])
  })
})

const isBlank = (value: unknown): boolean => value === undefined || value === ''
