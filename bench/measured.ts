import { readFileSync } from 'node:fs'
import { root } from '#tools/machine/location.ts'
import { MUTATED } from './mutated-folders.ts'
import { tableOf, writeIntoPage } from './report.ts'

/** The cell of the first row whose name begins so. The names are in column 0. */
type Cell = (row: string, column?: number) => string

/** A line of the README's table. Its figures are those of a page, so that none is written twice by hand. */
interface MeasuredLine {
  readonly what: string
  readonly page: string
  /** The sections of the page that have its figures. */
  readonly sections: readonly string[]
  /** The command that measures it again. */
  readonly command: string
  readonly figure: (cell: Cell) => string
  readonly comparison: (cell: Cell) => string
  /** The line is left out while one of its sections has no result. */
  readonly isOptional?: true
}

export const RESULTS = 'bench/results.md'

const bench = (part: string) => ({
  page: RESULTS,
  sections: [part],
  command: `bench -- ${part}`,
})

const MUTATED_FOLDERS = Object.keys(MUTATED)

const LINES: readonly MeasuredLine[] = [
  {
    what: '`npm start` under load, 10 requests at once',
    ...bench('load'),
    figure: (cell) =>
      `devices_get ${cell('devices_get', 8)} of the rate, p99 ${cell('devices_get', 3)}; a mix: ${cell('errors')} errors, memory from ${cell('memory of the server')}`,
    comparison: () => 'the same requests through the bare client: 1',
    isOptional: true,
  },
  {
    what: 'Cold start of devices_get',
    ...bench('cold-start'),
    figure: (cell) => cell('devices_get, which'),
    comparison: (cell) =>
      `a bare Lambda that asks the table once: ${cell('a bare Lambda over')}; esbuild’s defaults: ${cell('devices_get with')}`,
  },
  {
    what: 'A CDR through the queue',
    ...bench('ingest'),
    figure: (cell) => cell('20000 calls, 1 customers'),
    comparison: (cell) => `the physical minimum: ${cell('bare puts')}`,
  },
  {
    what: 'CDRs of one owner, 100 in a message',
    ...bench('hot-keys'),
    figure: (cell) => `${cell('a CDR, 100', 1)} write units each`,
    comparison: (cell) =>
      `DynamoDB’s limit of a key is reached at ${firstRate(cell('a CDR, 100', 3))} CDRs a second`,
  },
  {
    what: 'Parsing of FreeSWITCH’s CDRs in JSON',
    ...bench('intake'),
    figure: (cell) => `time ${cell('freeswitch-json')}`,
    comparison: () => '`JSON.parse` alone: 1',
  },
  {
    what: 'Import of a tariff of 500,000 rates',
    ...bench('rates'),
    figure: (cell) => `${cell('rows a second')} rows a second, ${cell('write units')} write units`,
    comparison: () => 'an item for each rate: 500,000 write units',
  },
  {
    what: 'rate_get in 500,000 rates',
    ...bench('rates'),
    figure: (cell) => cell('rate_get, 500,000'),
    comparison: (cell) =>
      `1,000 rates: ${cell('rate_get, 1,000')}; one GetItem per leading part: ${cell('one GetItem')}`,
  },
  {
    what: 'tariff_rates_get of 500,000 rates, streamed',
    ...bench('rates'),
    figure: (cell) =>
      `${cell('document')}, first byte after ${cell('first byte')} of the time, ${cell('memory')} of memory`,
    comparison: () => 'budget: 300 MB of memory',
  },
  {
    what: 'user_calls_get of 200,000 calls, streamed',
    ...bench('user-calls'),
    figure: (cell) =>
      `${cell('calls a second')} calls a second, ${cell('document')} in ${cell('compressed')}`,
    comparison: (cell) =>
      `a report of them by six dimensions: ${cell('processor of a report')} of its processor time`,
  },
  {
    what: 'XML of long lists',
    ...bench('xml'),
    figure: (cell) => `${cell('throughput')} times the throughput`,
    comparison: () => 'xml-js that writes the rows itself: 1',
  },
  {
    what: 'An hour of mixed traffic over a server that is killed at random',
    ...bench('soak'),
    command: 'soak',
    figure: (cell) => `${cell('lost writes')} lost writes and wrong counters after ${cell('kills')} kills`,
    comparison: (cell) => `${cell('acknowledged CDRs')} acknowledged CDRs, and a recount of every counter`,
  },
  {
    what: `Mutants of ${MUTATED_FOLDERS.join(', ')} that the tests notice`,
    ...{ page: 'bench/mutants.md', sections: MUTATED_FOLDERS, command: 'mutate' },
    figure: (cell) => MUTATED_FOLDERS.map((folder) => cell(`${folder},`, 4)).join(', '),
    comparison: () => 'at least 92 %',
    isOptional: true,
  },
]

/** The rate of the first key, such as 4,000 in "`STATS#OWNERS` 4,000, `USER#0` 9,000". */
const firstRate = (keys: string): string => /` ([\d,]+\d)/.exec(keys)?.[1] ?? keys

/** The README's table, from the pages as they are. Throws if a page lacks a figure. */
export const measuredTable = (): string =>
  tableOf({
    columns: ['what', 'figure', 'compared with', 'run again'],
    rows: LINES.flatMap((line) => {
      const texts = line.sections.map((section) => textOf(line.page, section))
      if (line.isOptional && texts.some((text) => text.trim() === '')) return []
      const cell = cellsOf(line, texts.join('\n'))
      const command = `\`npm run ${line.command}\``
      return [[line.what, line.figure(cell), line.comparison(cell), command] as const]
    }),
  })

/** Writes a section of a page of results, and the README's table again, which shows its figures. */
export function writeResult(page: string, section: string, text: string): void {
  writeIntoPage(page, section, `\n${text}`)
  writeIntoPage('README.md', 'measured', measuredTable())
}

function textOf(page: string, section: string): string {
  const [, text] = readFileSync(root + page, 'utf8').split(new RegExp(`<!-- /?${section} -->`))
  if (text === undefined) throw new Error(`${page} has no section ${section}`)
  return text
}

const cellsOf =
  ({ page, what }: MeasuredLine, text: string): Cell =>
  (row, column = 1) => {
    const rows = text.split('\n').map((line) => line.split(/ ?(?<!\\)\| ?/).slice(1))
    const cell = rows.find(([name]) => name?.startsWith(row))?.[column]
    if (cell !== undefined) return cell
    throw new Error(`${page} has no figure for "${what}": no row begins with "${row}"`)
  }
