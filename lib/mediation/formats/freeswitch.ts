import { SaxesParser } from 'saxes'
import { dispositionByCause, hangupCauseOf, NORMAL_CLEARING } from '#lib/mediation/formats/call-result.ts'
import {
  type Cdr,
  type CdrDocument,
  CdrRefused,
  type Found,
  foundBy,
  type PartyHints,
  type ProviderHints,
  type ReadFormat,
  SKIPPED,
  unreadable,
} from '#lib/mediation/formats/cdr.ts'
import { type CsvFormat, readRows } from '#lib/mediation/formats/csv-rows.ts'
import {
  type Clock,
  clockOf,
  type Field,
  filledOnce,
  firstFilled,
  percentDecoded,
  scalarText,
  timesOf,
} from '#lib/mediation/formats/fields.ts'
import { isObject, type JsonObject, readObjects } from '#lib/mediation/formats/json-objects.ts'

/**
 * The JSON that FreeSWITCH's mod_json_cdr posts or writes for each leg of a call (mod_json_cdr.c,
 * switch_ivr_generate_json_cdr in switch_ivr.c). A B-leg has an `originator`. It is skipped: the A-leg bills the call.
 */
export const freeswitchJson: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object) => {
    const { variables, callflow } = object
    if (!isObject(variables) || !Array.isArray(callflow)) return NOT_A_LEG
    if (profileIn(callflow[0])['originator'] !== undefined) return SKIPPED
    return { kind: 'cdr', cdr: legCdr(jsonLeg(variables, profileIn(callflow.at(-1))), clock) }
  })
}

const NOT_A_LEG = unreadable('it has no variables and no callflow')

/** The callflow lists the newest profile first. The last one has the number that was dialled originally. */
const jsonLeg = (variables: JsonObject, profile: JsonObject): Leg => ({
  variable: variableOf(variables),
  caller: (name) => scalarText(profile[name]),
})

function profileIn(flow: unknown): JsonObject {
  const profile = isObject(flow) ? flow['caller_profile'] : undefined
  return isObject(profile) ? profile : {}
}

/** Values are percent-encoded unless `encode-values` is false. `start_stamp` always has a space and shows which is true. */
function variableOf(variables: JsonObject): Field {
  const plain: Field = (name) => scalarText(variables[name])
  return plain('start_stamp').includes('%20') ? (name) => percentDecoded(plain(name)) : plain
}

/**
 * The XML that FreeSWITCH's mod_xml_cdr posts or writes for each leg of a call (mod_xml_cdr.c,
 * switch_ivr_generate_xml_cdr in switch_ivr.c). The variables are always percent-encoded, the profiles are not. A B-leg has
 * an `originator`. It is skipped: the A-leg bills the call.
 */
export const freeswitchXml: ReadFormat = (document) => {
  const text = document.text.trim()
  return [{ found: foundBy(() => xmlLeg(text, clockOf(document.zone))), text: () => text }]
}

function xmlLeg(text: string, clock: Clock): Found {
  const { variables, profiles } = readXmlLeg(text)
  if (!variables || !profiles) return NOT_A_LEG
  if (profiles.first.has('originator')) return SKIPPED
  const leg: Leg = {
    variable: (name) => percentDecoded(variables.get(name) ?? ''),
    caller: (name) => profiles.last.get(name) ?? '',
  }
  return { kind: 'cdr', cdr: legCdr(leg, clock) }
}

/**
 * The CSV that FreeSWITCH's mod_cdr_csv writes with a template (cdr_csv.conf.xml). It writes no header: the first line of
 * the document, or the columns of the source, repeat the template or its names (`"${uuid}"` or `uuid`). Only A-legs are
 * billed: leave `legs` at `a`, or add `${originator}` to the template.
 */
export const freeswitchCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)

  return readRows(document.text, freeswitchRows(document), (field) => {
    if (firstFilled(field, 'originator', 'originating_leg_uuid') !== '') return SKIPPED
    return { kind: 'cdr', cdr: legCdr({ variable: field, caller: field }, clock) }
  })
}

export const freeswitchRows = ({ columns }: CdrDocument): CsvFormat => ({
  columns: columns?.map(nameIn),
  isHeader: isTemplate,
  nameIn,
})

/** Some of FreeSWITCH's templates have a space before a quote. */
const nameIn = (cell: string): string => /\$\{([^}]*)\}/.exec(cell)?.[1] ?? cell.trim()

const isTemplate = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('start_stamp') || names.includes('start_epoch')
}

/** One leg of a call: the variables of its channel, and the profile of its caller when the leg started. */
interface Leg {
  readonly variable: Field
  readonly caller: Field
}

/**
 * The CDR of a leg. switch_channel_set_timestamps (switch_channel.c) sets the variables when the channel hangs up.
 * switch_ivr_set_json_profile_data (switch_ivr.c) writes the profile.
 */
function legCdr(leg: Leg, clock: Clock): Cdr {
  const { variable, caller } = leg
  const { isAnswered, ...times } = timesOf(
    {
      start: firstFilled(variable, 'start_epoch', 'start_stamp'),
      answer: firstFilled(variable, 'answer_epoch', 'answer_stamp'),
      end: firstFilled(variable, 'end_epoch', 'end_stamp'),
      duration: variable('duration'),
      billsec: variable('billsec'),
    },
    clock,
  )
  const hangupcause = causeOf(variable)
  return {
    uniqueid: variable('uuid') || caller('uuid'),
    part: '',
    ...times,
    src: caller('caller_id_number'),
    dst: caller('destination_number'),
    disposition: dispositionByCause(isAnswered, hangupcause),
    hangupcause,
    channel: channelOf(leg),
    party: partyOf(leg),
    provider: providerOf(leg),
  }
}

const causeOf = (variable: Field): number =>
  hangupCauseOf(variable('hangup_cause_q850')) ?? hangupCauseOf(variable('hangup_cause')) ?? NORMAL_CLEARING

const channelOf = ({ variable, caller }: Leg): string => variable('channel_name') || caller('chan_name')

/** `sip_from_user` is ignored, because a caller may write anything into From. */
function partyOf({ variable, caller }: Leg): PartyHints {
  const user = firstFilled(variable, 'sip_auth_username', 'user_name')
  return {
    accountCode: variable('accountcode'),
    device: user,
    sipUser: user,
    did: caller('destination_number'),
    ip: firstFilled(variable, 'sip_network_ip', 'network_addr') || caller('network_addr'),
  }
}

/** `sofia/gateway/potomac/12025550171` in a bridge; a profile and `::` may stand before the name. */
const GATEWAY = /sofia\/gateway\/([^/,|]+)\//

const withoutProfile = (gateway: string): string => gateway.replace(/^.*::/s, '')

/** The end of `sofia/external/12025550171@192.0.2.200:5060`. */
const ADDRESS = /@(\[[^\]]+\]|[^:/]+)(?::\d+)?$/

/** `sip_gateway` is the gateway of the origination (sofia.c), `sip_gateway_name` that of the termination. */
function providerOf(leg: Leg): ProviderHints {
  const { variable } = leg
  const dialled = GATEWAY.exec(variable('last_arg'))?.[1] ?? ''
  const bridged = variable('bridge_channel')
  const address = ADDRESS.exec(bridged.slice(bridged.lastIndexOf('@')))?.[1] ?? ''
  return {
    out: {
      names: filledOnce(variable('sip_gateway_name'), withoutProfile(dialled)),
      addresses: filledOnce(address),
      channels: filledOnce(bridged),
    },
    in: {
      names: filledOnce(variable('sip_gateway')),
      addresses: filledOnce(variable('sip_network_ip')),
      channels: filledOnce(channelOf(leg)),
    },
  }
}

type Texts = Map<string, string>

/** The elements of an XML leg that mediation needs. */
interface XmlLeg {
  /** The first `cdr/variables`. */
  variables?: Texts
  /** The caller profiles of the first and the last `cdr/callflow`; empty for a callflow without one. */
  profiles?: { readonly first: Texts; readonly last: Texts }
}

/** FreeSWITCH nests fewer elements. */
const MAX_DEPTH = 64

/**
 * Reads the texts of the elements in `cdr/variables` and in `cdr/callflow/caller_profile`. The first element of a name
 * counts. Throws CdrRefused for malformed XML, for a document type, which could define entities, and beyond 64 levels.
 */
function readXmlLeg(text: string): XmlLeg {
  if (!text.startsWith('<')) throw notXml('1:1: it does not begin with an element.')
  const parser = new SaxesParser()
  const leg: XmlLeg = {}
  const path: Element[] = [ROOT]
  const innermost = () => path.at(-1) ?? ROOT
  const refuse = (what: string) => notXml(`${parser.line}:${parser.column}: ${what}.`)

  parser.on('error', (error) => {
    throw notXml(error.message)
  })
  parser.on('doctype', () => {
    throw refuse('it has a document type')
  })
  parser.on('opentag', ({ name }) => {
    if (path.length > MAX_DEPTH) throw refuse(`it is nested deeper than ${MAX_DEPTH} levels`)
    path.push(opened(innermost(), name, leg))
  })
  parser.on('text', (content) => addText(innermost(), content))
  parser.on('cdata', (content) => addText(innermost(), content))
  parser.on('closetag', () => path.pop())
  parser.write(text).close()
  return leg
}

const notXml = (what: string): CdrRefused => new CdrRefused('unreadable', `it is not XML: ${what}`)

/** An open element of the document. */
interface Element {
  /** Its place in the document, if elements below it are kept. */
  readonly place?: 'root' | 'cdr' | 'callflow'
  /** The texts of its children, if they are kept. */
  readonly children?: Texts
  /** The texts that its own text is kept with, and its name there. */
  readonly kept?: { readonly siblings: Texts; readonly name: string }
}

const ROOT: Element = { place: 'root' }
const IGNORED: Element = {}

function opened(parent: Element, name: string, leg: XmlLeg): Element {
  if (parent.place !== undefined) return openedAt(`${parent.place}/${name}`, leg)
  const siblings = parent.children
  if (!siblings || siblings.has(name)) return IGNORED
  siblings.set(name, '')
  return { kept: { siblings, name } }
}

function openedAt(place: string, leg: XmlLeg): Element {
  if (place === 'root/cdr') return { place: 'cdr' }
  if (place === 'cdr/callflow') return openedFlow(leg)
  if (place === 'callflow/caller_profile') return openedProfile(leg)
  if (place !== 'cdr/variables' || leg.variables) return IGNORED
  leg.variables = new Map()
  return { children: leg.variables }
}

function openedFlow(leg: XmlLeg): Element {
  const last: Texts = new Map()
  leg.profiles = { first: leg.profiles?.first ?? last, last }
  return { place: 'callflow' }
}

function openedProfile({ profiles }: XmlLeg): Element {
  return profiles?.last.size === 0 ? { children: profiles.last } : IGNORED
}

function addText({ kept }: Element, content: string): void {
  if (kept) kept.siblings.set(kept.name, `${kept.siblings.get(kept.name)}${content}`)
}
