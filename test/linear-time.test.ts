import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { searchedText } from '#lib/accounts/name-search.ts'
import { callUrlIn, isCurl, readCurl, shellWords } from '#lib/api/signature-diagnosis/written-call.ts'
import { withMonthNumber } from '#lib/base/date-order.ts'
import { isDay } from '#lib/base/day.ts'
import { isoMoment } from '#lib/base/iso-moment.ts'
import { moneyOf } from '#lib/base/money.ts'
import { reasonIn } from '#lib/base/row-refused.ts'
import {
  escapeFormula,
  fitsXml,
  isVisibleName,
  isVisibleWord,
  showInvisible,
  unescapeFormula,
} from '#lib/base/text.ts'
import { isListed } from '#lib/base/trusted-addresses.ts'
import { durationOf } from '#lib/cdrs/formats/clock.ts'
import { FORMAT_NAMES } from '#lib/cdrs/formats/formats.ts'
import { parse } from '#lib/cdrs/formats/parse.ts'
import { cellsInSpan, spansOf } from '#lib/csv/reader.ts'
import { datasetFiles } from '#lib/dataset/import/files.ts'
import { parseCallerId } from '#lib/devices/device.ts'
import { prefixOf } from '#lib/rates/code.ts'
import { isShortenedNumber, readCalled } from '#lib/rates/numbers/called-text.ts'
import { decideNumber } from '#lib/rates/numbers/rated-number.ts'
import { ratedDigits } from '#lib/rates/rating.ts'
import { indicesIn } from '#lib/rates/sheets/columns.ts'
import { dateTimeOf } from '#lib/rates/sheets/dates.ts'
import { prefixesOf } from '#lib/rates/sheets/dial-codes.ts'
import { currencyIn, priceText } from '#lib/rates/sheets/numbers.ts'
import { billingOf } from '#lib/rates/sheets/profile.ts'
import { statusOf, statusOfRemark } from '#lib/rates/sheets/statuses.ts'
import { readSettings, settingError, settingNames } from '#lib/settings/settings.ts'
import { parseGiven } from '#lib/table/cells/row-parser.ts'
import { root } from '#tools/machine/program.ts'

const dialling = { International_Prefix: '00', National_Prefix: '0' }

const numberSettings = readSettings({ Feature_Codes: '*1*2*3' })

const questionOf = (dialled: string) => ({
  dialled,
  carrier: undefined,
  isDevice: false,
  emergencies: new Set(['112']),
  rules: [],
})

const plainCalendar = { firstImport: new Date(0), zone: 'UTC' }

/** The readers of foreign text, each of which takes a text of any length. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'an amount': moneyOf,
  'a moment': (text) => isoMoment(text, 'UTC'),
  'a length of time': durationOf,
  'a time with the name of its month': withMonthNumber,
  'a day': isDay,
  'text for XML': fitsXml,
  'an escaped formula': (text) => unescapeFormula(escapeFormula(text)),
  'a dialled number': (text) => ratedDigits(text, { ...dialling, Country_Code: '44' }),
  'a number to rate': (text) => decideNumber(questionOf(text), numberSettings),
  'a caller id': parseCallerId,
  'a prefix': (text) => orRefused(() => prefixOf(text, dialling)),
  ...Object.fromEntries(
    Object.entries(datasetFiles).map(([file, { columns }]) => [
      `a row of ${file}.csv`,
      (text: string) => orRefused(() => parseGiven({ columns }, everyColumn(columns, text), plainCalendar)),
    ]),
  ),
  ...Object.fromEntries(
    FORMAT_NAMES.map((format) => [
      `a CDR document as ${format}`,
      (text: string) => Array.from(parse({ format, source: 'switch', zone: 'UTC', text })),
    ]),
  ),
  'a value of any setting': (text) => settingNames.map((name) => settingError(name, text)),
  'a list of addresses': (text) => isListed(text, '192.0.2.1'),
  'a called text': (text) => [readCalled(text), isShortenedNumber(text)],
  'a name to search': (text) => searchedText(text),
  'a name': (text) => [isVisibleName(text), isVisibleWord(text), showInvisible(text)],
  'a CSV document': (text) => Array.from(spansOf(text), (span) => span.isCsv && cellsInSpan(text, span)),
  'a line of curl': (text) => [isCurl(text), callUrlIn(text), readCurl(shellWords(`curl ${text}`))],
  'dial codes': (text) => orRefused(() => prefixesOf(text, '')),
  'a date of a sheet': (text) => dateTimeOf(text, 'day-month'),
  'a price of a sheet': priceText,
  'increments of a sheet': billingOf,
  'a status of a sheet': (text) => statusOf(text),
  'a remark of a sheet': (text) => statusOfRemark(text, true, undefined),
  'a heading of a sheet': (text) => indicesIn([text]),
  'a currency of a sheet': currencyIn,
}

const everyColumn = (columns: object, text: string) =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, text]))

function orRefused<T>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    return reasonIn(error)
  }
}

/*
 * Every regular expression that reads foreign text takes time proportional to it. The test looks for
 * counterexamples: the start of a matching text, one piece repeated, and an end that does not fit.
 */

const FOLDERS = ['console', 'functions', 'lib']

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
).filter((path) => /(?<!\.test)(?<!\.d)\.tsx?$/.test(path))

/** The nodes of a syntax tree. */
function* nodesIn(node: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof node !== 'object' || node === null) return
  if ('type' in node) yield node as Readonly<Record<string, unknown>>
  for (const child of Object.values(node)) yield* nodesIn(child)
}

/** The regular expressions that a file writes as literals. */
const literalsIn = (path: string): RegExp[] =>
  [
    ...nodesIn(parseAst(readFileSync(root + path, 'utf8'), { lang: path.endsWith('x') ? 'tsx' : 'ts' })),
  ].flatMap(({ value }) => (value instanceof RegExp ? [value] : []))

/** Without a repetition of any length, each attempt takes at most as many steps as the expression is long. */
const hasRepetition = ({ source }: RegExp): boolean =>
  /[*+]|\{\d*,(?:\d{3,})?\}/.test(source.replace(/\\.|\[(?:\\.|[^\]\\])*\]/gs, 'x'))

/** Expressions by their text, each with the first file that has it. */
const expressions = new Map<string, { readonly path: string; readonly expression: RegExp }>()
for (const path of sources)
  for (const expression of literalsIn(path))
    if (!expressions.has(String(expression))) expressions.set(String(expression), { path, expression })

const PIECES = [
  ' ',
  '\t',
  '0',
  'a',
  'A',
  '-',
  '.',
  ',',
  '/',
  ':',
  ';',
  '"',
  "'",
  '<',
  '(',
  '[',
  '{',
  '@',
  '#',
  '&',
  '=',
]
const ENDS = ['', '\n!', '\u0000']

/** Texts that match; none if the generator does not know the expression, or matches by chance. */
function samplesOf(expression: RegExp): string[] {
  if (expression.source.includes('\\p{')) return ['']
  try {
    return ['', ...fc.sample(fc.stringMatching(expression, { maxLength: 40 }), { numRuns: 3, seed: 7 })]
  } catch {
    return ['']
  }
}

const beginningsOf = (sample: string): string[] =>
  Array.from({ length: Math.min(sample.length, 24) + 1 }, (_, length) => sample.slice(0, length))

function* attacksOn(expression: RegExp, length: number): Generator<string> {
  const samples = samplesOf(expression)
  const pieces = new Set(
    [...PIECES, ...samples.map((sample) => sample.slice(0, 4)), ...samples.join('')].filter(Boolean),
  )
  for (const beginning of new Set(samples.flatMap(beginningsOf)))
    for (const piece of pieces)
      for (const end of ENDS) yield beginning + piece.repeat(length / piece.length) + end
}

/** Processor time in milliseconds. */
function timeOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const costOf = (expression: RegExp, text: string): number => timeOf(() => text.replace(expression, ''))

/** The least of some runs, until one is within the limit: the process does other work, such as GC. */
function leastTime(work: () => unknown, most: number): number {
  let least = timeOf(work)
  for (let again = 0; again < 6 && least > most; again += 1) least = Math.min(least, timeOf(work))
  return least
}

/** The most processor time in milliseconds that a reader takes for a text of this length. */
function mostCost(read: (text: string) => unknown, length: number): number {
  const texts = PIECES.flatMap((piece) => [`${piece.repeat(length)}!`, `1${piece.repeat(length)}1`])
  return Math.max(...texts.map((text) => leastTime(() => read(text), mostTime(length))))
}

test.each(Object.entries(READERS))(
  '%s of 1,000, 10,000 and 100,000 characters is read in linear time',
  (_name, read) => {
    const slow = [1000, 10_000, 100_000].filter((length) => mostCost(read, length) > mostTime(length))

    expect(slow).toEqual([])
  },
)

/**
 * In milliseconds. Linear readers take some for 100,000 characters, quadratic ones 500 for 10,000 and 50,000
 * for 100,000: a slow machine is far from both.
 */
const mostTime = (length: number): number => Math.max(60, length / 160)

const LENGTH = 8000

/** A linear expression takes about a millisecond, a quadratic one of 32,000,000 steps 20 to 100. */
const MOST_MS = 6

/** The least of some runs, because other work on the processor may count, too. */
const leastCost = (expression: RegExp, text: string): number =>
  Math.min(...Array.from({ length: 5 }, () => costOf(expression, text)))

/** Time of the clock, which costs no system call and is at least the processor's. */
function isLong(expression: RegExp, text: string): boolean {
  const begin = performance.now()
  text.replace(expression, '')
  return performance.now() - begin > MOST_MS
}

function slowTextFor(expression: RegExp): string | undefined {
  for (const text of attacksOn(expression, LENGTH))
    if (
      isLong(expression, text) &&
      costOf(expression, text) > MOST_MS &&
      leastCost(expression, text) > MOST_MS
    )
      return text
  return undefined
}

test('the expressions of lib, functions and console are found', () => {
  expect(expressions.size).toBeGreaterThan(150)
})

const repeating = [...expressions.values()].filter(({ expression }) => hasRepetition(expression))

test.each(repeating)('$path: $expression is linear', ({ expression }) => {
  const slow = slowTextFor(expression)

  expect(slow && JSON.stringify(slow).replace(/(.{1,4})\1{20,}/g, '$1...')).toBeUndefined()
})

test.each([
  /^[+-]?(\d+\.?\d*|\.\d+)$/,
  /\s+$/,
  /^(.*?)(?:[T,\s]+(\d{1,2}:\d{2}.*))?$/s,
  /^\d{1,2}:\d\d *(?:UTC)? *$/,
])('the test finds a text for %s', (expression) => {
  expect(slowTextFor(expression)).toBeDefined()
})
