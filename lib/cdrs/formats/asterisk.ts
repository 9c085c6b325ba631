import { isIPv4 } from 'node:net'
import type { CarrierHints } from '#lib/rates/provider.ts'
import { causeByDisposition, dispositionOf, hangupCauseOf } from './call-result.ts'
import { type Cdr, type CdrText, type Found, type PartyHints, type ReadFormat, unreadable } from './cdr.ts'
import { type Clock, clockOf, requireTimed, timesOf } from './clock.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { type Field, filledOnce, firstFilled, isPhoneNumber, isSameNumber } from './fields.ts'
import { fieldsOf, type JsonObject, readObjects } from './json/json-objects.ts'

/**
 * The 16 to 21 columns of Master.csv in the order of build_csv_record (cdr/cdr_csv.c), by the options of
 * cdr.conf. The number of columns is ambiguous: 17 include either the unique id or the user field.
 */
export const masterColumns = ({
  loguniqueid,
  loguserfield,
  newcdrcolumns,
}: Readonly<Record<'loguniqueid' | 'loguserfield' | 'newcdrcolumns', boolean>>): string[] => [
  ...STANDARD_COLUMNS,
  ...(loguniqueid ? ['uniqueid'] : []),
  ...(loguserfield ? ['userfield'] : []),
  ...(newcdrcolumns ? ['peeraccount', 'linkedid', 'sequence'] : []),
]

const STANDARD_COLUMNS =
  'accountcode,src,dst,dcontext,clid,channel,dstchannel,lastapp,lastdata,start,answer,end,duration,billsec,disposition,amaflags'.split(
    ',',
  )

/**
 * The CSV of two Asterisk backends. cdr_csv (cdr/cdr_csv.c) writes Master.csv without a header, and by
 * default without a unique id. cdr_custom writes a header of CDR field names (cdr_custom.conf.sample). The
 * source's columns describe a file without one. With `usegmtime`, the source's zone must be UTC.
 */
export const asteriskCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)
  const read = (field: Field): Found => ({ kind: 'cdr', cdr: asteriskCdr(field, clock) })
  return readRows(document, asteriskRows(document), read)
}

export const asteriskRows = ({ columns = STANDARD_COLUMNS }: CdrText): CsvFormat => ({
  columns: columns.map(nameIn),
  isHeader,
  nameIn,
  remedyFor,
})

/** The likeliest cdr.conf options by number of columns: a unique id is more common than a user field. */
const MASTER_BY_LENGTH = new Map([
  [16, '""'],
  [17, 'loguniqueid'],
  [18, 'loguniqueid,loguserfield'],
  [19, 'newcdrcolumns'],
  [20, 'loguniqueid,newcdrcolumns'],
  [21, 'loguniqueid,loguserfield,newcdrcolumns'],
])

/** The columns of Master.csv in cdr_custom.conf.sample. Before Asterisk 1.8 it had no sequence. */
const CUSTOM_COLUMNS =
  'clid,src,dst,dcontext,channel,dstchannel,lastapp,lastdata,start,answer,end,duration,billsec,disposition,amaflags,accountcode,uniqueid,userfield,sequence'.split(
    ',',
  )

/** The events of Asterisk's channel event logging (main/cel.c), whose rows begin with their name. */
const CHANNEL_EVENT =
  /^(?:eventtype|CHAN_(?:START|END)|ANSWER|HANGUP|APP_(?:START|END)|PARK_(?:START|END)|BRIDGE_(?:ENTER|EXIT)|(?:BLIND|ATTENDED)TRANSFER|USER_DEFINED|PICKUP|FORWARD|LINKEDID_END|LOCAL_OPTIMIZE(?:_BEGIN)?|STREAM_(?:BEGIN|END))$/i

const IS_CEL = 'these are channel events (CEL), not CDRs: have cdr_csv or cdr_custom write CDRs'

/** The start is the ninth column in a file of cdr_custom, and the tenth in one of cdr_csv. */
function remedyFor(row: readonly string[]): string | undefined {
  if (CHANNEL_EVENT.test(row[0] ?? '')) return IS_CEL
  const isCustom = /\d{4}-\d\d-\d\d /.test(row[CUSTOM_COLUMNS.indexOf('start')] ?? '')
  if (isCustom && row.length <= CUSTOM_COLUMNS.length) {
    return `add --columns ${CUSTOM_COLUMNS.slice(0, row.length).join(',')}`
  }
  const master = MASTER_BY_LENGTH.get(row.length)
  return master && `add --master ${master}`
}

/** A column in the mapping of cdr_custom: `${CSV_QUOTE(${CDR(src)})}`, `start(int64)`, or the name alone. */
const nameIn = (cell: string): string =>
  (/CDR\((\w+)/i.exec(cell)?.[1] ?? cell.replace(/\(.*/s, '')).trim().toLowerCase()

const isHeader = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('disposition') && (names.includes('start') || names.includes('calldate'))
}

/** The names of CDR fields in the manager interface: cdr_manager and cdr_beanstalkd write them. */
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
  ['lastapp', 'LastApplication'],
  ['lastdata', 'LastData'],
  ['disposition', 'Disposition'],
  ['uniqueid', 'UniqueID'],
])

/** A number in these fields keeps its digits: see `fieldsOf`. */
const ID_FIELDS = new Set(
  ['uniqueid', 'linkedid', 'accountcode', 'src', 'dst'].flatMap((name) => [
    name,
    MANAGER_NAMES.get(name) ?? name,
  ]),
)

/**
 * JSON of three Asterisk backends: cdr_custom with `format = json`, an object a line (res/cdrel_custom);
 * cdr_beanstalkd, an object a job (cdr_beanstalkd.c); the manager's `Cdr` event (cdr_manager.c).
 */
export const asteriskJson: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object, written) => {
    const field = fieldsOf(object, written, ID_FIELDS)
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
 * The CDR in Asterisk's fields (res/cdrel_custom/registry.c, include/asterisk/cdr.h). A transferred or forked
 * call makes several CDRs with one unique id; `sequence` distinguishes them. The CDR has a cause only if the
 * dialplan sets it: `Set(CDR(hangupcause)=${HANGUPCAUSE})`.
 */
function asteriskCdr(field: Field, clock: Clock): Cdr {
  const times = timesOf(
    (name) => (name === 'start' ? firstFilled(field, name, 'calldate') : field(name)),
    clock,
  )
  const { start, duration, billsec } = times
  const disposition = dispositionOf(field('disposition'))
  requireTimed(times, disposition === 'ANSWERED')
  const channel = field('channel')
  const { dst, reached, carrierDst } = dialledNumber(field)
  const device = deviceIn(channel)
  return {
    uniqueid: field('uniqueid'),
    part: field('sequence'),
    linkedid: field('linkedid'),
    start,
    duration,
    billsec,
    src: field('src'),
    dst,
    dialledDst: reached || undefined,
    carrierDst,
    carrierSrc: field('carrier_src') || undefined,
    disposition,
    hangupcause: hangupCauseOf(field('hangupcause')) ?? causeByDisposition(disposition),
    channel,
    party: { ...partyOf(field, channel, device), ...(reached !== '' && { reached }) },
    provider: {
      out: carrierHints(field('dstchannel'), deviceIn(field('dstchannel'))),
      in: carrierHints(channel, device),
    },
    dialledPeer: dialledPeer(field),
    ...transferredSides(field),
  }
}

/** The device in `PJSIP/2010-0000a4c2` or `IAX2/hotel.branch-1187`, without its serial number; or blank. */
export const deviceIn = (channel: string): string => /^[^/]+\/(.*)-/s.exec(channel)?.[1] ?? ''

/** Returns whether a channel is `SIP/` or `PJSIP/`, so that its device is a SIP user. */
export const isSip = (channel: string): boolean => /^(?:PJ)?SIP\//i.test(channel)

function partyOf(field: Field, channel: string, device: string): PartyHints {
  return {
    accountCode: field('accountcode'),
    device,
    sipUser: isSip(channel) ? device : '',
    did: field('dst'),
    ip: firstFilled(field, 'peerip', 'src_ip') || (isIPv4(device) ? device : ''),
  }
}

const carrierHints = (channel: string, name: string): CarrierHints => ({
  names: filledOnce(name),
  addresses: isIPv4(name) ? [name] : [],
  channels: filledOnce(channel),
})

/**
 * The number that rates a call: the one that Dial called a trunk with, if `lastdata` names it and it is not
 * the dialled one: then `reached` is the extension of the dialplan, such as a forwarded DID.
 */
function dialledNumber(field: Field) {
  const dst = field('dst')
  const targets = field('lastapp') === 'Dial' ? targetsOf(field('lastdata')) : []
  const ofChannel = targets.filter((one) => isChannelOf(field('dstchannel'), one))
  const called = ofChannel.find((one) => one.number !== '')
  const carrierDst = called?.number ?? ofChannel.find(({ text }) => text !== '')?.text
  if (!called || isSameNumber(dst, called.number, true)) return { dst, reached: '', carrierDst }
  return { dst: called.number, reached: dst, carrierDst }
}

/** The peer that Dial called itself, without a number on it: a phone, if the peer is a device. */
function dialledPeer(field: Field): string | undefined {
  const channel = field('dstchannel')
  if (field('lastapp') !== 'Dial' || !isNamedByPeer(channel)) return undefined
  const target = targetsOf(field('lastdata')).find((one) => isChannelOf(channel, one))
  return target?.number === '' ? target.peer : undefined
}

/** `PJSIP/442079460000@potomac&SIP/thames/442079460000,60,g`: targets, then timeout and options. */
const targetsOf = (dialString: string): Target[] => dialString.replace(/,.*/s, '').split('&').map(targetOf)

/**
 * The sides of a CDR whose channel another call has dialled. A transfer joins channels of two calls, and
 * makes a CDR of them (main/cdr.c): Dial named other channels than `dstchannel`; AppDial is the application
 * of a channel that was dialled; and the linked id of such a channel is that of the channel that dialled it.
 */
function transferredSides(field: Field): Pick<Cdr, 'transferred'> {
  const [uniqueid, linkedid] = [field('uniqueid'), field('linkedid')]
  const isDialled = field('lastapp') === 'AppDial'
  const out = isDialled || (field('lastapp') === 'Dial' && isOfOtherDial(field))
  const isIn = isDialled || (linkedid !== '' && linkedid !== uniqueid)
  return out || isIn ? { transferred: { out, in: isIn } } : {}
}

/** The technologies whose channels have the names of their peers. */
const NAMED_BY_PEER = new Set(['PJSIP', 'SIP', 'IAX2'])

export const isNamedByPeer = (channel: string): boolean => NAMED_BY_PEER.has(channel.replace(/\/.*/s, ''))

/** A Local channel that is optimised away leaves the channel that follows it, which Dial does not name. */
function isOfOtherDial(field: Field): boolean {
  const channel = field('dstchannel')
  const targets = targetsOf(field('lastdata'))
  const areNamed = [channel, ...targets.map(({ technology }) => technology)].every(isNamedByPeer)
  return areNamed && !targets.some((target) => isChannelOf(channel, target))
}

interface Target {
  readonly technology: string
  readonly peer: string
  readonly number: string
  /** The number as it is written, such as `1234#442079460000`. */
  readonly text: string
}

/**
 * Technology, peer and number of a target of Dial: `PJSIP/NUMBER@PEER`, `PJSIP/PEER/sip:NUMBER@HOST`,
 * `SIP/PEER/NUMBER`, `SIP/NUMBER@PEER`, `IAX2/USER@PEER/NUMBER`, `DAHDI/g1/NUMBER`.
 */
function targetOf(resource: string): Target {
  const [technology = '', target = '', second] = resource.split('/')
  const [peer = '', before = ''] = target.split('@').reverse()
  const text = (second ?? before).replace(/^sips?:/, '').replace(/@.*/, '')
  return { technology, peer, text, number: isPhoneNumber(text) ? text : '' }
}

/** The channels of a DAHDI group have the names of its lines. The call of a Local channel has its own CDR. */
const isChannelOf = (channel: string, { technology, peer }: Target): boolean =>
  channel.startsWith(technology === 'DAHDI' ? 'DAHDI/' : `${technology}/${peer}-`)
