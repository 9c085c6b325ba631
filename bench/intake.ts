import { parse as parseCsv } from 'csv-parse/sync'
import { SaxesParser } from 'saxes'
import type { FormatName } from '#lib/cdrs/formats/cdr.ts'
import { parse } from '#lib/cdrs/formats/parse.ts'
import { demoDocument } from '#test/mediation/switch-documents.ts'
import { processorSince } from './measure.ts'
import type { BenchmarkTable } from './report.ts'

const ROUNDS = 30

/** A format, the bare parser that it is compared with, and CDR documents. */
type Contest = readonly [format: FormatName, bare: (text: string) => unknown, texts: readonly string[]]

const linesOf = (name: string): string[] => demoDocument(name).trimEnd().split('\n')

const repeated = <T>(values: readonly T[], times: number): T[] =>
  Array.from({ length: times }, (_, n) => values[n % values.length] as T)

const XML_NAMES = ['a_05e9620d-3682-4c55-a261-5f10d178dbc2', 'a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d'].map(
  (name) => `freeswitch-xml/${name}.cdr.xml`,
)

/** One document with many CDRs, below the header if the format has one. */
function asFile(name: string, hasHeader: boolean, count: number): string[] {
  const [first = '', ...others] = linesOf(name)
  const rows = repeated(hasHeader ? others : [first, ...others], count)
  return [[...(hasHeader ? [first] : []), ...rows].join('\n')]
}

const readJson = (text: string): unknown => JSON.parse(text)
const readLines = (text: string): unknown => text.split('\n').map(readJson)
const readCsv = (text: string): unknown => parseCsv(text)
const readXml = (text: string): unknown => new SaxesParser().write(text).close()

const contests = (count: number): Contest[] => [
  ['freeswitch-json', readJson, repeated(linesOf('freeswitch.ndjson'), count)],
  ['asterisk-json', readJson, repeated(linesOf('asterisk.ndjson'), count)],
  ['asterisk-json', readLines, asFile('asterisk.ndjson', false, count)],
  ['kamailio-json', readJson, repeated(linesOf('kamailio.ndjson'), count)],
  ['freeswitch-xml', readXml, repeated(XML_NAMES.map(demoDocument), count / 10)],
  ['asterisk-csv', readCsv, asFile('Master.csv', false, count)],
  ['freeswitch-csv', readCsv, asFile('freeswitch.csv', true, count)],
  ['kamailio-csv', readCsv, asFile('kamailio-acc.csv', true, count)],
]

/**
 * Compares each format, from the document to its CDRs, with the bare parser of the same documents. The two
 * take turns, and the best round of each counts. The additional time must stay below the time to store a CDR.
 */
export function benchIntake(count: number): BenchmarkTable {
  const rows = contests(count).map(([format, bare, texts]): [string, string] => {
    const read = (text: string) => {
      for (const _ of parse({ format, source: 'bench', zone: 'Europe/Vilnius', text }));
    }
    const best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY }
    for (let round = 0; round < ROUNDS; round += 1) {
      best.bare = Math.min(best.bare, spent(texts, bare))
      best.ours = Math.min(best.ours, spent(texts, read))
    }
    const more = (best.ours - best.bare) / (texts.length === 1 ? count : texts.length)
    const name = texts.length === 1 ? `${format}, one file` : format
    return [name, `${(best.ours / best.bare).toFixed(2)}, or ${more.toFixed(1)} µs a CDR on top of it`]
  })
  return { title: 'CDR documents: parsing, against the bare parser', rows }
}

/** The processor time in microseconds. */
function spent(texts: readonly string[], work: (text: string) => unknown): number {
  const before = process.cpuUsage()
  for (const text of texts) work(text)
  return processorSince(before)
}
