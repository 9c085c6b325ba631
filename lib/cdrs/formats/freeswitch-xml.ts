import { SaxesParser } from 'saxes'
import type { Refusal } from '#lib/base/refusal.ts'
import { cdrRefused } from './cdr.ts'

/** An element of a leg: its text, its children by name, and later elements of its name. */
export interface XmlElement {
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
export function readXmlLeg(text: string): XmlLeg {
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

/** The root is the CDR itself if it is `cdr`. Its variables and callflows are kept. */
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
