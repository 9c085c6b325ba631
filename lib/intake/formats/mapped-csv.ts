import { type Clock, clockOf } from '#lib/intake/clock.ts'
import { type CsvFormat, readRows } from '#lib/intake/csv-rows.ts'
import { causeByDisposition, dispositionByCause, dispositionOf } from '#lib/intake/disposition.ts'
import { hangupCauseOf, hangupCauseOfSip } from '#lib/intake/hangup-cause.ts'
import type { ReadFormat, SwitchCall } from '#lib/intake/record.ts'
import { timesOf } from '#lib/intake/seconds.ts'
import { type Field, said } from '#lib/intake/texts.ts'

/** What a column of any CSV may hold. A field that the mapping does not name has a column of its own name. */
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
] as const

type MappedField = (typeof MAPPED_FIELDS)[number]

/**
 * Call records of any switch as CSV: the mapping of the source says which column holds which field, by the names in the
 * header, or in the columns of the source where the file has none.
 */
export const mappedCsv: ReadFormat = (document, { zone, columns, mapping = {} }) => {
  const clock = clockOf(zone)
  const startColumn = mapping['start'] ?? 'start'
  const format: CsvFormat = { columns, isHeader: (row) => row.map(nameIn).includes(startColumn), nameIn }

  return readRows(document, format, (column) => {
    const field = (name: string) => column(mapping[name] ?? name)
    return { kind: 'call', call: callOf(field, clock) }
  })
}

const nameIn = (cell: string): string => cell.trim()

function callOf(field: (name: MappedField) => string, clock: Clock): SwitchCall {
  const { isAnswered, ...times } = timesOf(
    {
      start: field('start'),
      answer: field('answer'),
      end: field('end'),
      duration: field('duration'),
      billsec: field('billsec'),
    },
    clock,
  )
  const [src, dst, sipUser, channel] = [field('src'), field('dst'), field('sip_user'), field('channel')]
  return {
    uniqueid: field('uniqueid'),
    part: '',
    ...times,
    src,
    dst,
    ...endOf(field as Field, isAnswered),
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
        names: said(field('provider')),
        addresses: said(field('provider_ip')),
        channels: said(field('provider_channel')),
      },
      in: { names: [], addresses: said(field('ip')), channels: said(channel) },
    },
  }
}

/** Each of disposition and cause follows from the other where only one is said. */
function endOf(field: Field, isAnswered: boolean): Pick<SwitchCall, 'disposition' | 'hangupcause'> {
  const sipStatus = field('sip_status')
  const word = field('disposition')
  const cause =
    hangupCauseOf(field('hangupcause')) ??
    (/^[1-6]\d\d$/.test(sipStatus) ? hangupCauseOfSip(Number(sipStatus)) : undefined)
  const disposition = word === '' ? dispositionByCause(isAnswered, cause ?? 0) : dispositionOf(word)
  return { disposition, hangupcause: cause ?? causeByDisposition(disposition) }
}
