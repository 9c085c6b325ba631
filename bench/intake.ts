import { parse } from 'csv-parse/sync'
import xmljs from 'xml-js'
import { asteriskCsv } from '#lib/intake/formats/asterisk-csv.ts'
import { asteriskJson } from '#lib/intake/formats/asterisk-json.ts'
import { freeswitchJson } from '#lib/intake/formats/freeswitch-json.ts'
import { freeswitchXml } from '#lib/intake/formats/freeswitch-xml.ts'
import { kamailioCsv } from '#lib/intake/formats/kamailio-csv.ts'
import { kamailioJson } from '#lib/intake/formats/kamailio-json.ts'
import type { ReadFormat } from '#lib/intake/record.ts'
import { demoDocument } from '#lib/testing/switch-documents.ts'
import type { Table } from './report.ts'

const RECORDS = 10_000
const ROUNDS = 30
const origin = { source: 'bench', zone: 'Europe/Vilnius' }

/** A format, documents of it, and the bare parser that its budget is measured against. */
interface Contest {
  readonly name: string
  readonly read: ReadFormat
  readonly bare: (document: string) => unknown
  readonly documents: readonly string[]
}

const linesOf = (name: string): string[] => demoDocument(name).trimEnd().split('\n')

const repeated = <T>(values: readonly T[], times: number): T[] =>
  Array.from({ length: times }, (_, n) => values[n % values.length] as T)

const each = (name: string): string[] => repeated(linesOf(name), RECORDS)

const XML = ['a_05e9620d-3682-4c55-a261-5f10d178dbc2', 'a_d208ea41-f04b-47b4-ac0c-77dcb4b4b02d']

/** In one document, as a file of many calls; below its header where it has one. */
function asFile(name: string, hasHeader: boolean): string[] {
  const [first = '', ...others] = linesOf(name)
  const rows = repeated(hasHeader ? others : [first, ...others], RECORDS)
  return [[...(hasHeader ? [first] : []), ...rows].join('\n')]
}

const contests = (): Contest[] => [
  {
    name: 'freeswitch-json (budget 2)',
    read: freeswitchJson,
    bare: JSON.parse,
    documents: each('freeswitch.ndjson'),
  },
  {
    name: 'asterisk-json (budget 2)',
    read: asteriskJson,
    bare: JSON.parse,
    documents: each('asterisk.ndjson'),
  },
  {
    name: 'kamailio-json (budget 2)',
    read: kamailioJson,
    bare: JSON.parse,
    documents: each('kamailio.ndjson'),
  },
  {
    name: 'freeswitch-xml (budget 1.3)',
    read: freeswitchXml,
    bare: (document) => xmljs.xml2js(document, { compact: true }),
    documents: repeated(
      XML.map((name) => demoDocument(`freeswitch-xml/${name}.cdr.xml`)),
      RECORDS / 10,
    ),
  },
  {
    name: 'asterisk-csv, Master.csv (budget 2)',
    read: asteriskCsv,
    bare: (document) => parse(document),
    documents: asFile('Master.csv', false),
  },
  {
    name: 'kamailio-csv (budget 2)',
    read: kamailioCsv,
    bare: (document) => parse(document),
    documents: asFile('kamailio-acc.csv', true),
  },
]

/**
 * Each format, from the document to its records, against the bare parser of the same documents, in turn; the best of some
 * rounds each. What comes on top is to stay below what storing a record takes.
 */
export function benchIntake(): Table {
  const rows = contests().map(({ name, read, bare, documents }): [string, string] => {
    const best = { ours: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY }
    for (let round = 0; round < ROUNDS; round += 1) {
      best.bare = Math.min(best.bare, spent(documents, bare))
      best.ours = Math.min(
        best.ours,
        spent(documents, (document) => read(document, origin)),
      )
    }
    const each = (best.ours - best.bare) / (documents.length === 1 ? RECORDS : documents.length)
    return [name, `${(best.ours / best.bare).toFixed(2)}, or ${each.toFixed(1)} µs a record on top of it`]
  })
  return { title: 'Documents of switches: reading and understanding, against the bare parser', rows }
}

/** Microseconds of processor time. */
function spent(documents: readonly string[], work: (document: string) => unknown): number {
  const before = process.cpuUsage()
  for (const document of documents) work(document)
  const { user, system } = process.cpuUsage(before)
  return user + system
}
