import { asteriskCsv } from './asterisk-csv.ts'
import { asteriskJson } from './asterisk-json.ts'
import { freeswitchCsv } from './freeswitch-csv.ts'
import { freeswitchJson } from './freeswitch-json.ts'
import { freeswitchXml } from './freeswitch-xml.ts'
import { kamailioCsv } from './kamailio-csv.ts'
import { kamailioJson } from './kamailio-json.ts'
import { mappedCsv } from './mapped-csv.ts'
import type { ReadFormat } from './record.ts'

/** The formats in which switches deliver records of calls, by the name that operators give them. */
export const FORMATS = {
  'freeswitch-json': freeswitchJson,
  'freeswitch-xml': freeswitchXml,
  'freeswitch-csv': freeswitchCsv,
  'asterisk-csv': asteriskCsv,
  'asterisk-json': asteriskJson,
  'kamailio-json': kamailioJson,
  'kamailio-csv': kamailioCsv,
  csv: mappedCsv,
} as const satisfies Record<string, ReadFormat>

export type FormatName = keyof typeof FORMATS

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name)
