import { SaxesParser } from 'saxes'
import type { Refusal } from '#lib/base/refusal.ts'
import {
  type CdrText,
  cdrRefused,
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
 * is noted beside its bridge, and begins no callflow of its own (mark_transfer_record in sofia.c).
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

/** The setting of cdr_csv.conf.xml for A-legs only, given beside the column names. */
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

/** An element of a leg: its text, its children by name, and later elements of its name. */
interface XmlElement {
  text: string
  readonly children: Map<string, XmlElement>
  readonly others: XmlElement[]
}

/** The elements of an XML leg that mediation needs. */
interface XmlLeg {
  /** The first `cdr/variables`. */
  variables?: XmlElement
  /** Each `cdr/callflow`, the newest first. */
  readonly callflows: XmlElement[]
}

/** FreeSWITCH nests fewer elements. */
const MAX_DEPTH = 64

/**
 * Reads `cdr/variables` and each `cdr/callflow`. A list has an element for each value. Throws refused_cdr
 * for malformed XML, for a document type, which could define entities, and beyond 64 levels.
 */
function readXmlLeg(text: string): XmlLeg {
  if (!text.startsWith('<')) throw notXml('1:1: it does not begin with an element.')
  const parser = new SaxesParser()
  const leg: XmlLeg = { callflows: [] }
  const path: (XmlElement | undefined)[] = []
  const refuse = (what: string) => notXml(`${parser.line}:${parser.column}: ${what}.`)

  parser.on('error', (error) => {
    throw notXml(error.message)
  })
  parser.on('doctype', () => {
    throw refuse('it has a document type')
  })
  parser.on('opentag', ({ name }) => {
    if (path.length >= MAX_DEPTH) throw refuse(`it is nested deeper than ${MAX_DEPTH} levels`)
    path.push(path.length < 2 ? openedTop(leg, name, path) : openedBelow(path.at(-1), name))
  })
  const addText = (content: string) => {
    const innermost = path.at(-1)
    if (innermost) innermost.text += content
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => path.pop())
  parser.write(text).close()
  return leg
}

const notXml = (what: string): Refusal<'refused_cdr'> => cdrRefused('unreadable', `it is not XML: ${what}`)

const blankElement = (): XmlElement => ({ text: '', children: new Map(), others: [] })

/** The root stands for itself if it is `cdr`. Its variables and callflows are kept. */
function openedTop(
  leg: XmlLeg,
  name: string,
  [root]: readonly (XmlElement | undefined)[],
): XmlElement | undefined {
  if (!root) return name === 'cdr' ? blankElement() : undefined
  const element = blankElement()
  if (name === 'callflow') leg.callflows.push(element)
  else if (name === 'variables' && !leg.variables) leg.variables = element
  else return undefined
  return element
}

function openedBelow(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  if (!parent) return undefined
  const element = blankElement()
  const first = parent.children.get(name)
  if (first) first.others.push(element)
  else parent.children.set(name, element)
  return element
}
