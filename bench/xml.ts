import { SaxesParser } from 'saxes'
import { js2xml } from 'xml-js'
import { rowWriter } from '#lib/xml/row-writer.ts'
import { generatedRates } from '#test/examples/generated-rates.ts'
import type { BenchmarkTable } from './report.ts'

const BATCHES = 20
const ROWS_OF_A_BATCH = 1000
const ROUNDS = 30

const FIELDS = [
  'direction',
  'destination',
  'prefix',
  'tariff_rate',
  'con_fee',
  'start_time',
  'end_time',
  'daytype',
] as const

type Row = Readonly<Record<(typeof FIELDS)[number], string>>

/** Writes the same rows with the row writer and with xml-js, in the batches of the handlers. The best round of each counts. */
export function benchXml(): BenchmarkTable {
  const batches = batchesOf(rowsToWrite())
  const write = rowWriter('rate', FIELDS)
  const stamped = (rows: readonly Row[]): string => write(rows).markup
  for (const rows of batches) refuseDifference(stamped(rows), byXmlJs(rows))
  const best = { stamped: Number.POSITIVE_INFINITY, byXmlJs: Number.POSITIVE_INFINITY }
  for (let round = 0; round < ROUNDS; round += 1) {
    best.stamped = Math.min(best.stamped, timed(batches, stamped))
    best.byXmlJs = Math.min(best.byXmlJs, timed(batches, byXmlJs))
  }
  return {
    title: `XML of ${BATCHES} batches of ${ROWS_OF_A_BATCH} rows, the same to a strict parser`,
    rows: [
      [
        'throughput against xml-js writing the rows itself (goal: 5)',
        (best.byXmlJs / best.stamped).toFixed(1),
      ],
    ],
  }
}

/** One row in fifty has characters to escape. */
const rowsToWrite = (): Row[] =>
  [...generatedRates(3, BATCHES * ROWS_OF_A_BATCH)].map((generated, position) => {
    const row = Object.fromEntries(FIELDS.map((field) => [field, generated[field] ?? ''])) as Row
    return position % 50 === 0 ? { ...row, direction: 'A & <b>' } : row
  })

const batchesOf = (rows: readonly Row[]): Row[][] =>
  Array.from({ length: BATCHES }, (_, batch) =>
    rows.slice(batch * ROWS_OF_A_BATCH, (batch + 1) * ROWS_OF_A_BATCH),
  )

const byXmlJs = (rows: readonly Row[]): string => js2xml({ rate: rows.map(compactOf) }, { compact: true })

const compactOf = (row: Row) => Object.fromEntries(FIELDS.map((field) => [field, { _text: row[field] }]))

/** The text becomes bytes, as in an answer: Node does not assemble a text that is never read. */
function timed(batches: readonly Row[][], write: (rows: readonly Row[]) => string): number {
  const start = performance.now()
  for (const rows of batches) Buffer.from(write(rows))
  return performance.now() - start
}

function refuseDifference(one: string, other: string): void {
  if (read(one) !== read(other)) throw new Error('The rows differ to a strict parser')
}

/** Every tag and text, as a strict parser reads them. */
function read(rows: string): string {
  const seen: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => seen.push(`<${name}`))
  parser.on('closetag', ({ name }) => seen.push(`>${name}`))
  parser.on('text', (text) => seen.push(text))
  parser.write(`<rates>${rows}</rates>`).close()
  return seen.join('|')
}
