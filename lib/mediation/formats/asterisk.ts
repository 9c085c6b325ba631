import { causeByDisposition, dispositionOf, hangupCauseOf } from './call-result.ts'
import {
  type CarrierHints,
  type Cdr,
  type CdrDocument,
  type Found,
  type PartyHints,
  type ReadFormat,
  unreadable,
} from './cdr.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { type Clock, clockOf, type Field, firstFilled, timesOf } from './fields.ts'
import { fieldsOf, type JsonObject, readObjects } from './json-objects.ts'

/** The switches of cdr.conf for Master.csv, each off by default. */
export interface MasterProfile {
  readonly loguniqueid: boolean
  readonly loguserfield: boolean
  readonly newcdrcolumns: boolean
}

/**
 * The 16 to 21 columns of Master.csv in the order of build_csv_record (cdr/cdr_csv.c). How many there are does not tell
 * which: 17 are with the unique id as well as with the user field.
 */
export const masterColumns = ({ loguniqueid, loguserfield, newcdrcolumns }: MasterProfile): string[] => [
  ...ALWAYS,
  ...(loguniqueid ? ['uniqueid'] : []),
  ...(loguserfield ? ['userfield'] : []),
  ...(newcdrcolumns ? ['peeraccount', 'linkedid', 'sequence'] : []),
]

const ALWAYS = [
  'accountcode',
  'src',
  'dst',
  'dcontext',
  'clid',
  'channel',
  'dstchannel',
  'lastapp',
  'lastdata',
  'start',
  'answer',
  'end',
  'duration',
  'billsec',
  'disposition',
  'amaflags',
]

const DEFAULT_COLUMNS = masterColumns({ loguniqueid: false, loguserfield: false, newcdrcolumns: false })

/**
 * What Asterisk's cdr_csv writes into Master.csv (cdr/cdr_csv.c), without a header and, as delivered, without a unique id;
 * and what cdr_custom writes (configs/samples/cdr_custom.conf.sample) below a header with the names of the CDR fields.
 * The columns of the source say what a file without a header has. With `usegmtime` the source's zone is UTC.
 */
export const asteriskCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)
  const read = (field: Field): Found => ({ kind: 'cdr', cdr: asteriskCdr(field, clock) })
  return readRows(document.text, asteriskRows(document), read)
}

export const asteriskRows = ({ columns = DEFAULT_COLUMNS }: CdrDocument): CsvFormat => ({
  columns: columns.map(nameIn),
  isHeader,
  nameIn,
})

/** As in a mapping of cdr_custom: `${CSV_QUOTE(${CDR(src)})}`, `start(int64)`, or the name alone. */
const nameIn = (cell: string): string =>
  withoutFormat((/CDR\((\w+)/i.exec(cell)?.[1] ?? cell).trim()).toLowerCase()

const withoutFormat = (name: string): string => {
  const open = name.indexOf('(')
  return open !== -1 && name.endsWith(')') ? name.slice(0, open) : name
}

const isHeader = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('disposition') && (names.includes('start') || names.includes('calldate'))
}

/** The manager's names for the fields of a CDR, as cdr_manager and cdr_beanstalkd write them. */
const MANAGER_NAMES = new Map([
  ['accountcode', 'AccountCode'],
  ['src', 'Source'],
  ['dst', 'Destination'],
  ['channel', 'Channel'],
  ['dstchannel', 'DestinationChannel'],
  ['start', 'StartTime'],
  ['answer', 'AnswerTime'],
  ['end', 'EndTime'],
  ['duration', 'Duration'],
  ['disposition', 'Disposition'],
  ['uniqueid', 'UniqueID'],
])

const IDS = new Set([
  'uniqueid',
  'UniqueID',
  'accountcode',
  'AccountCode',
  'src',
  'Source',
  'dst',
  'Destination',
])

/**
 * The JSON of an Asterisk backend: cdr_custom with `format = json`, an object on each line (res/cdrel_custom/writers.c);
 * cdr_beanstalkd, an object a job (cdr/cdr_beanstalkd.c); or the `Cdr` event of the manager as JSON (cdr/cdr_manager.c).
 */
export const asteriskJson: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object, written) => {
    const field = fieldsOf(object, written, IDS)
    if (has(object, 'disposition')) return { kind: 'cdr', cdr: asteriskCdr(field, clock) }
    if (!has(object, 'Disposition')) return NO_DISPOSITION
    return { kind: 'cdr', cdr: asteriskCdr(underManagerNames(field, object), clock) }
  })
}

const has = (object: JsonObject, name: string): boolean => object[name] !== undefined

const NO_DISPOSITION = unreadable('it has no disposition')

function underManagerNames(field: Field, object: JsonObject): Field {
  const billsec = has(object, 'Billsec') ? 'Billsec' : 'BillableSeconds'
  return (name) => field(name === 'billsec' ? billsec : (MANAGER_NAMES.get(name) ?? name))
}

/**
 * The fields of Asterisk's CDR as a Cdr (res/cdrel_custom/registry.c, include/asterisk/cdr.h).
 * A call that is transferred or forked makes several CDRs of one unique id, which `sequence` tells apart. A cause is
 * known only where the dialplan keeps one in the CDR: `Set(CDR(hangupcause)=${HANGUPCAUSE})`.
 */
function asteriskCdr(field: Field, clock: Clock): Cdr {
  const { start, duration, billsec } = timesOf(
    {
      start: firstFilled(field, 'start', 'calldate'),
      answer: field('answer'),
      end: field('end'),
      duration: field('duration'),
      billsec: field('billsec'),
    },
    clock,
  )
  const disposition = dispositionOf(field('disposition'))
  const [dst, channel] = [field('dst'), field('channel')]
  const device = deviceIn(channel)
  return {
    uniqueid: field('uniqueid'),
    part: field('sequence'),
    start,
    duration,
    billsec,
    src: field('src'),
    dst,
    disposition,
    hangupcause: hangupCauseOf(field('hangupcause')) ?? causeByDisposition(disposition),
    channel,
    party: partyOf(field, channel, device, dst),
    provider: { out: carrierOn(field('dstchannel')), in: carrier(channel, device) },
  }
}

/**
 * The name of the device in `PJSIP/2010-0000a4c2` or `IAX2/hotel.branch-1187`, between the technology and a serial number;
 * blank where there is none.
 */
export function deviceIn(channel: string): string {
  const slash = channel.indexOf('/')
  const serial = channel.lastIndexOf('-')
  return slash < 1 || serial <= slash ? '' : channel.slice(slash + 1, serial)
}

/** Whether the name of the device is that of a SIP user: `SIP/`, `PJSIP/`. */
export const isSip = (channel: string): boolean => /^(?:PJ)?SIP\//i.test(channel)

const isAddress = (name: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)

function partyOf(field: Field, channel: string, device: string, dst: string): PartyHints {
  return {
    accountCode: field('accountcode'),
    device,
    sipUser: isSip(channel) ? device : '',
    did: dst,
    ip: firstFilled(field, 'peerip', 'src_ip') || (isAddress(device) ? device : ''),
  }
}

const carrierOn = (channel: string): CarrierHints => carrier(channel, deviceIn(channel))

const carrier = (channel: string, name: string): CarrierHints => ({
  names: name === '' ? NOTHING : [name],
  addresses: isAddress(name) ? [name] : NOTHING,
  channels: channel === '' ? NOTHING : [channel],
})

const NOTHING: readonly string[] = []
