import { namesIn } from '#lib/base/collections.ts'
import type { CdrText } from './cdr.ts'

/**
 * The formats of CDR documents, and what a document consists of: a large one is cut between its parts. Their
 * readers are in parse.ts, which the intake leaves out: it only needs the names.
 */
const FORMATS = {
  'freeswitch-json': 'objects',
  'freeswitch-xml': 'one part',
  'freeswitch-csv': 'rows',
  'asterisk-csv': 'rows',
  'asterisk-json': 'objects',
  'kamailio-json': 'objects',
  'kamailio-csv': 'rows',
  'opensips-csv': 'rows',
  'opensips-log': 'lines',
  'opensips-json': 'objects',
  csv: 'rows',
  json: 'objects',
  live: 'objects',
} as const

export type FormatName = keyof typeof FORMATS

/** One piece of a switch's output. */
export interface CdrDocument extends CdrText {
  readonly format: FormatName
}

export const FORMAT_NAMES = namesIn(FORMATS)

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name)

export const partsOfFormat = (name: FormatName): (typeof FORMATS)[FormatName] => FORMATS[name]

/** Returns whether a format consists of rows, which depend on their header. */
export const isCsvFormat = (name: FormatName): boolean => FORMATS[name] === 'rows'
