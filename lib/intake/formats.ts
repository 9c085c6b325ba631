import { asteriskCsv } from '#lib/intake/formats/asterisk-csv.ts'
import { asteriskJson } from '#lib/intake/formats/asterisk-json.ts'
import { freeswitchCsv } from '#lib/intake/formats/freeswitch-csv.ts'
import { freeswitchJson } from '#lib/intake/formats/freeswitch-json.ts'
import { freeswitchXml } from '#lib/intake/formats/freeswitch-xml.ts'
import { kamailioCsv } from '#lib/intake/formats/kamailio-csv.ts'
import { kamailioJson } from '#lib/intake/formats/kamailio-json.ts'
import { live } from '#lib/intake/formats/live.ts'
import { mappedCsv } from '#lib/intake/formats/mapped-csv.ts'
import type { ReadFormat } from './record.ts'

/** The formats in which switches deliver records and events of calls, by the name that operators give them. */
export const FORMATS = {
  'freeswitch-json': freeswitchJson,
  'freeswitch-xml': freeswitchXml,
  'freeswitch-csv': freeswitchCsv,
  'asterisk-csv': asteriskCsv,
  'asterisk-json': asteriskJson,
  'kamailio-json': kamailioJson,
  'kamailio-csv': kamailioCsv,
  csv: mappedCsv,
  live,
} as const satisfies Record<string, ReadFormat>

export type FormatName = keyof typeof FORMATS

export const isFormat = (name: string): name is FormatName => Object.hasOwn(FORMATS, name)
