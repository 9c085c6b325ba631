import { namesIn } from '#lib/base/collections.ts'
import { asteriskCsv, asteriskJson, asteriskRows } from './asterisk.ts'
import type { CdrText, ReadFormat } from './cdr.ts'
import type { CsvFormat } from './csv-rows.ts'
import { freeswitchCsv, freeswitchJson, freeswitchRows, freeswitchXml } from './freeswitch.ts'
import { kamailioCsv, kamailioJson, kamailioRows } from './kamailio.ts'
import { live } from './live.ts'
import { mappedCsv, mappedRows } from './mapped-csv.ts'
import { opensipsCsv, opensipsJson, opensipsLog, opensipsRows } from './opensips.ts'

/** How a format is parsed, and what its documents consist of: a large one is cut between its parts. */
interface CdrFormat {
  readonly read: ReadFormat
  readonly of: 'rows' | 'objects' | 'lines' | 'one part'
  /** Rows depend on their header. */
  readonly csv?: (document: CdrText) => CsvFormat
}

/** The formats of CDR documents. */
export const FORMATS = {
  'freeswitch-json': { read: freeswitchJson, of: 'objects' },
  'freeswitch-xml': { read: freeswitchXml, of: 'one part' },
  'freeswitch-csv': { read: freeswitchCsv, of: 'rows', csv: freeswitchRows },
  'asterisk-csv': { read: asteriskCsv, of: 'rows', csv: asteriskRows },
  'asterisk-json': { read: asteriskJson, of: 'objects' },
  'kamailio-json': { read: kamailioJson, of: 'objects' },
  'kamailio-csv': { read: kamailioCsv, of: 'rows', csv: kamailioRows },
  'opensips-csv': { read: opensipsCsv, of: 'rows', csv: opensipsRows },
  'opensips-log': { read: opensipsLog, of: 'lines' },
  'opensips-json': { read: opensipsJson, of: 'objects' },
  csv: { read: mappedCsv, of: 'rows', csv: mappedRows },
  live: { read: live, of: 'objects' },
} satisfies Readonly<Record<string, CdrFormat>>

export type FormatName = keyof typeof FORMATS

/** What a switch sends in one piece. */
export interface CdrDocument extends CdrText {
  readonly format: FormatName
}

export const FORMAT_NAMES = namesIn(FORMATS)

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name)

export const formatNamed = (name: FormatName): CdrFormat => FORMATS[name]

/** Tells whether a format consists of rows, which depend on their header. */
export const isCsvFormat = (name: FormatName): boolean => FORMATS[name].of === 'rows'
