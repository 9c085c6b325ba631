import {
  type CdrText,
  type Found,
  foundsBy,
  type ReadFormat,
  SKIPPED,
  twoValuesOf,
  unreadable,
} from './cdr.ts'
import { type Clock, clockOf } from './clock.ts'
import { type CsvFormat, readRows } from './csv-rows.ts'
import { type Field, percentDecoded, scalarText } from './fields.ts'
import { callsOfLeg } from './freeswitch-legs.ts'
import type { CallflowSegment, Leg } from './freeswitch-trunks.ts'
import { readXmlLeg, type XmlElement } from './freeswitch-xml.ts'
import { isObject, type JsonObject, readObjects } from './json/json-objects.ts'

/**
 * The JSON that FreeSWITCH's mod_json_cdr posts or writes for each leg of a call (mod_json_cdr.c,
 * switch_ivr_generate_json_cdr in switch_ivr.c).
 */
export const freeswitchJson: ReadFormat = ({ text, zone }) => {
  const clock = clockOf(zone)

  return readObjects(text, (object) => {
    const { variables, callflow } = object
    if (!isObject(variables) || !Array.isArray(callflow)) return NOT_A_LEG
    const leg = {
      variable: variableOf(variables),
      transfers: transfersIn(variables['transfer_history']),
      segments: callflow.map(jsonSegment).reverse(),
    }
    return foundsOf(leg, clock)
  })
}

const NOT_A_LEG = unreadable('it has no variables and no callflow')

/** The calls of a leg. A leg without one bills nothing. */
function foundsOf(leg: Leg, clock: Clock): readonly Found[] {
  const calls = callsOfLeg(leg, clock)
  if (calls.length === 0) return [SKIPPED]
  return calls.map((cdr) => ({ kind: cdr.loopback?.billsAlone === false ? 'leg' : 'cdr', cdr }))
}

/** Percent-encoded unless `encode-values` is false: the space that `start_stamp` always has decides. */
function variableOf(variables: JsonObject): Field {
  const plain: Field = (name) => scalarText(variables[name])
  return plain('start_stamp').includes('%20') ? (name) => percentDecoded(plain(name)) : plain
}

/**
 * The beginnings of the callflows after the first. Several values of a variable are a list, or a text that
 * begins with `ARRAY::` (switch_event_add_header_string with SWITCH_STACK_PUSH). A phone's attended transfer
 * is noted in its bridge, and begins no callflow of its own (mark_transfer_record in sofia.c).
 */
function transfersIn(history: unknown): readonly string[] {
  const texts = Array.isArray(history) ? history : [history]
  return texts
    .flatMap((text) => percentDecoded(scalarText(text)).split('|:'))
    .filter((text) => !text.includes(':att_xfer:'))
}

function jsonSegment(flow: unknown): CallflowSegment {
  const profile = memberOf(flow, 'caller_profile')
  const partners = memberOf(memberOf(profile, 'originatee'), 'originatee_caller_profiles')
  const originators = memberOf(memberOf(profile, 'originator'), 'originator_caller_profiles')
  return {
    caller: jsonField(profile),
    partner: jsonField(firstOf(partners)),
    originator: memberOf(profile, 'originator') === undefined ? undefined : jsonField(firstOf(originators)),
    time: jsonField(memberOf(flow, 'times')),
  }
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)

const jsonField =
  (value: unknown): Field =>
  (name) =>
    scalarText(memberOf(value, name))

/**
 * The XML of FreeSWITCH's mod_xml_cdr, one document a leg (mod_xml_cdr.c, switch_ivr_generate_xml_cdr in
 * switch_ivr.c). The variables are always percent-encoded, the profiles are not.
 */
export const freeswitchXml: ReadFormat = (document) => {
  const text = document.text.trim()
  const founds = foundsBy(() => xmlLeg(text, clockOf(document.zone)))
  return founds.map((found) => ({ found, text: () => text }))
}

function xmlLeg(text: string, clock: Clock): readonly Found[] {
  const { variables, callflows } = readXmlLeg(text)
  if (!variables || callflows.length === 0) return [NOT_A_LEG]
  const encoded = xmlField(variables)
  const variable: Field = (name) => percentDecoded(encoded(name))
  const history = variables.children.get('transfer_history')
  const transfers = transfersIn(history && [history, ...history.others].map(({ text: one }) => one))
  return foundsOf({ variable, transfers, segments: callflows.map(xmlSegment).reverse() }, clock)
}

function xmlSegment(flow: XmlElement): CallflowSegment {
  const profile = flow.children.get('caller_profile')
  const originator = profile?.children.get('originator')
  const partner = profile?.children.get('originatee')?.children.get('originatee_caller_profile')
  return {
    caller: xmlField(profile),
    partner: xmlField(partner),
    originator: originator && xmlField(originator.children.get('originator_caller_profile')),
    time: xmlField(flow.children.get('times')),
  }
}

const xmlField =
  (element: XmlElement | undefined): Field =>
  (name) => {
    const first = element?.children.get(name)
    if (first?.others.some(({ text }) => text !== first.text)) throw twoValuesOf(name)
    return first?.text ?? ''
  }

/**
 * The CSV of FreeSWITCH's mod_cdr_csv with a template (cdr_csv.conf.xml). It has no header: the document's
 * first line, or the source's columns, repeat the template or its names (`"${uuid}"` or `uuid`).
 */
export const freeswitchCsv: ReadFormat = (document) => {
  const clock = clockOf(document.zone)

  return readRows(document, freeswitchRows(document), (field) => {
    return foundsOf(
      { variable: field, transfers: [field('transfer_source')], segments: csvSegments(field) },
      clock,
    )
  })
}

/**
 * A line knows its leg's newest profile, whether the leg was moved there (`transfer_source`), and the number
 * reached before a blind transfer (`rdnis`: switch_ivr_session_transfer in switch_ivr.c).
 */
function csvSegments(field: Field): readonly CallflowSegment[] {
  const newest: CallflowSegment = { caller: field, partner: BLANK, originator: undefined, time: BLANK }
  const movedBy = field('transfer_source')
  if (movedBy === '') return [newest]
  const reached = movedBy.includes(':bl_xfer:') ? field('rdnis') : ''
  const caller: Field = (name) => (name === 'destination_number' && reached ? reached : field(name))
  const [, looped] = LOOPBACK_DIALLED.exec(field('last_arg')) ?? []
  const partner: Field = (name) => (name === 'chan_name' && looped ? `loopback/${looped}-a` : '')
  return [{ ...newest, caller, partner: movedBy.includes(':uuid_br:') ? partner : BLANK }, newest]
}

/** The dial string of a loopback stays after the loopback has bowed out. */
const LOOPBACK_DIALLED = /^(?:\{[^}]*\})*loopback\/([^/,|]+)/

const BLANK: Field = () => ''

export const freeswitchRows = ({ columns }: CdrText): CsvFormat => ({
  columns: columns?.map(nameIn),
  isHeader: isTemplate,
  nameIn,
  isStatement: (name) => name === ALL_A_LEGS,
  remedyFor: ({ length }) =>
    `put the text of its template above the lines, or name all ${length} of its columns with --columns`,
  missingIn,
  tidied: withoutBlanks,
})

/** The setting of cdr_csv.conf.xml for A-legs only, given with the column names. */
const ALL_A_LEGS = 'legs=a'

/** The columns that tell a B-leg. None of FreeSWITCH's own templates has one of them. */
const LEG_COLUMNS = ['originator', 'originating_leg_uuid']

const missingIn = (columns: readonly string[]): string | undefined =>
  columns.some((name) => name === ALL_A_LEGS || LEG_COLUMNS.includes(name)) ? undefined : NO_LEG_COLUMN

const NO_LEG_COLUMN =
  'its columns do not tell A-legs from B-legs: add originator to the template; if cdr_csv.conf.xml has legs=a, add --columns legs=a'

/** Some of FreeSWITCH's templates have a blank before a quote, which is not valid CSV. */
const withoutBlanks = (text: string): string => text.replaceAll('", "', '","')

const nameIn = (cell: string): string => /\$\{([^${}]*)\}/.exec(cell)?.[1] ?? cell.trim()

const isTemplate = (row: readonly string[]): boolean => {
  const names = row.map(nameIn)
  return names.includes('start_stamp') || names.includes('start_epoch')
}
