import xmljs from 'xml-js'
import { clockOf } from '#lib/intake/clock.ts'
import { percentDecoded } from '#lib/intake/percent.ts'
import { DocumentRefused, pieceOf, type ReadFormat } from '#lib/intake/record.ts'
import type { Field } from '#lib/intake/texts.ts'
import { callOfLeg, type Leg } from './freeswitch.ts'

/** As xml-js reads it in its compact form; an element that comes several times is a list. */
type XmlElement = { readonly [name: string]: XmlElement | readonly XmlElement[] | string | undefined }

/**
 * What FreeSWITCH's mod_xml_cdr posts or writes for each leg of a call (mod_xml_cdr.c, switch_ivr_generate_xml_cdr in
 * switch_ivr.c). The variables are always percent-encoded, the profiles are not. The leg that was dialled for another one
 * (it has an `originator`) is not billed a second time.
 */
export const freeswitchXml: ReadFormat = (document, { zone }) =>
  pieceOf(document.trim(), () => {
    const cdr = child(parsed(document), 'cdr')
    const variables = child(cdr, 'variables')
    const flows = children(cdr, 'callflow')
    if (!variables || flows.length === 0) {
      throw new DocumentRefused('not of its format', 'it has no variables and no callflow')
    }
    const profiles = flows.map((flow) => child(flow, 'caller_profile'))
    if (child(profiles[0], 'originator')) return undefined
    return { kind: 'call', call: callOfLeg(legOf(variables, profiles.at(-1)), clockOf(zone)) }
  })

/** The last callflow is the oldest: it tells what was dialled at first. */
const legOf = (variables: XmlElement, profile: XmlElement | undefined): Leg => ({
  variable: (name) => percentDecoded(textIn(variables)(name)),
  caller: textIn(profile),
})

function parsed(document: string): XmlElement {
  try {
    return xmljs.xml2js(document, READING) as XmlElement
  } catch (error) {
    const [first] = String(error instanceof Error ? error.message : error).split('\n')
    throw new DocumentRefused('not of its format', `it is not XML: ${first}`)
  }
}

const READING = {
  compact: true,
  ignoreDeclaration: true,
  ignoreComment: true,
  ignoreAttributes: true,
} as const

function children(parent: XmlElement | undefined, name: string): readonly XmlElement[] {
  const found = parent?.[name]
  if (found === undefined || typeof found === 'string') return []
  return Array.isArray(found) ? (found as readonly XmlElement[]) : [found as XmlElement]
}

const child = (parent: XmlElement | undefined, name: string): XmlElement | undefined =>
  children(parent, name)[0]

const textIn =
  (parent: XmlElement | undefined): Field =>
  (name) => {
    const text = child(parent, name)?.['_text']
    return typeof text === 'string' ? text : ''
  }
