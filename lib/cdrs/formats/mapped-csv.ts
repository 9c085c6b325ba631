import {
  causeByDisposition,
  dispositionByCause,
  dispositionOf,
  hangupCauseOf,
  hangupCauseOfSip,
} from './call-result.ts'
import type { Cdr, CdrDocument, ReadFormat } from './cdr.ts'
import { type CallTimes, type Clock, clockOf, requireTimed, timesOf } from './clock.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { filledOnce, quotedValue } from './fields.ts'

/** The fields of the generic CSV. A field without a mapping is in the column of its own name. */
export const MAPPED_FIELDS = [
  'uniqueid',
  'start',
  'answer',
  'end',
  'src',
  'dst',
  'duration',
  'billsec',
  'disposition',
  'hangupcause',
  'sip_status',
  'account_code',
  'device',
  'sip_user',
  'did',
  'ip',
  'channel',
  'provider',
  'provider_ip',
  'provider_channel',
  'carrier_dst',
] as const

type MappedField = (typeof MAPPED_FIELDS)[number]

/**
 * The CSV of any switch. The mapping of the source gives the column of each field. The column names are in the header, or
 * in the columns of the source for a file without a header.
 */
export const mappedCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)
  const columnOf = columnsByField(document)

  return readRows(document.text, mappedRows(document), (column) => {
    const field = (name: MappedField) => column(columnOf(name))
    return { kind: 'cdr', cdr: mappedCdr(field, clock) }
  })
}

export function mappedRows(document: CdrDocument): CsvFormat {
  const startColumn = columnsByField(document)('start')
  return {
    columns: document.columns,
    isHeader: (row) => row.map(nameIn).includes(startColumn),
    nameIn,
    missingIn: (columns) => missingColumn(document, columns),
  }
}

/** A mapping to a column that is missing would make every call one without that field, such as one without seconds. */
function missingColumn({ mapping = {} }: CdrDocument, columns: readonly string[]): string | undefined {
  const missing = Object.entries(mapping).find(([, column]) => !columns.includes(column))
  if (!missing) return undefined
  const [field, column] = missing
  return `no column is ${quotedValue(column)}, the columns are ${quotedValue(columns.join(','))}: correct --map ${field}=`
}

const columnsByField =
  ({ mapping = {} }: CdrDocument) =>
  (field: MappedField): string =>
    mapping[field] ?? field

const nameIn = (cell: string): string => cell.trim()

function mappedCdr(field: (name: MappedField) => string, clock: Clock): Cdr {
  const times = timesOf(field, clock)
  const { start, duration, billsec } = times
  const [src, dst, sipUser, channel] = [field('src'), field('dst'), field('sip_user'), field('channel')]
  return {
    uniqueid: field('uniqueid'),
    part: '',
    start,
    duration,
    billsec,
    src,
    dst,
    carrierDst: field('carrier_dst') || undefined,
    ...resultOf(field, times),
    channel,
    party: {
      accountCode: field('account_code'),
      device: field('device') || sipUser,
      sipUser,
      did: field('did') || dst,
      ip: field('ip'),
    },
    provider: {
      out: {
        names: filledOnce(field('provider')),
        addresses: filledOnce(field('provider_ip')),
        channels: filledOnce(field('provider_channel')),
      },
      in: { names: [], addresses: filledOnce(field('ip')), channels: filledOnce(channel) },
    },
  }
}

/** Disposition and cause. If the CDR gives only one of them, the other is derived from it. */
function resultOf(
  field: (name: MappedField) => string,
  times: CallTimes,
): Pick<Cdr, 'disposition' | 'hangupcause'> {
  const sipStatus = field('sip_status')
  const word = field('disposition')
  const cause =
    hangupCauseOf(field('hangupcause')) ??
    (/^[1-6]\d\d$/.test(sipStatus) ? hangupCauseOfSip(Number(sipStatus)) : undefined)
  const disposition = word === '' ? dispositionByCause(times.isAnswered, cause ?? 0) : dispositionOf(word)
  requireTimed(times, disposition === 'ANSWERED' || (word === '' && cause === undefined))
  return { disposition, hangupcause: cause ?? causeByDisposition(disposition) }
}
