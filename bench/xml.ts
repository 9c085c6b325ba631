import { SaxesParser } from 'saxes'
import xmljs from 'xml-js'
import type { Rate } from '#lib/domain/rates/rating.ts'
import { generatedRates } from '#lib/testing/generated-rates.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'
import type { Table } from './report.ts'

const ROWS = 20_000
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

type Row = Readonly<Record<(typeof FIELDS)[number], string>> & Partial<Rate>

/** The same rows by the row writer and by xml-js, in turn; the best of some rounds each. */
export function benchXml(): Table {
  const rows = [...generatedRates(3, ROWS)].map((row, at) => ({
    ...row,
    direction: at % 50 ? row['direction'] : 'A & <b>',
  })) as unknown as Row[]
  const write = rowWriter('rate', FIELDS)
  const ways = {
    ours: () => `<rates>${rows.map(write).join('')}</rates>`,
    'xml-js': () => xmljs.js2xml({ rates: { rate: rows.map(compactOf) } }, { compact: true }),
  }
  if (read(ways.ours()) !== read(ways['xml-js']())) throw new Error('The documents differ to a strict parser')
  const best = { ours: Number.POSITIVE_INFINITY, 'xml-js': Number.POSITIVE_INFINITY }
  for (let round = 0; round < 8; round += 1) {
    for (const way of ['ours', 'xml-js'] as const) best[way] = Math.min(best[way], timed(ways[way]))
  }
  return {
    title: 'XML of 20,000 rows, the same document to a strict parser',
    rows: [['throughput against xml-js (goal: 4)', (best['xml-js'] / best.ours).toFixed(1)]],
  }
}

const compactOf = (row: Row) => Object.fromEntries(FIELDS.map((field) => [field, { _text: row[field] }]))

function timed(work: () => string): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

/** Every tag and text, as a strict parser reads them. */
function read(document: string): string {
  const seen: string[] = []
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => seen.push(`<${name}`))
  parser.on('closetag', ({ name }) => seen.push(`>${name}`))
  parser.on('text', (text) => seen.push(text))
  parser.write(document).close()
  return seen.join('|')
}
