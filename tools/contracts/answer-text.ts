import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { type Element as Node, xml2js } from 'xml-js'
import { isStreamed, type StreamedResult } from '#lib/api/response.ts'
import { type AnswerTable, answerTables, isPluralOf, type XmlNode } from '#lib/xml/answer-rows.ts'
import { DECLARATION, elementNode, textNodes, write } from '#lib/xml/xml-js.ts'
import { alignedLines, widthsOf } from '../command-line/listing.ts'

/**
 * Prints one element on a line, its text escaped as on the wire. Only `most` siblings of
 * one name are shown, and `…` marks the others. A body that is not XML, such as a proxy's, stays as it is.
 */
export function indented(body: string, most = Number.POSITIVE_INFINITY): string {
  const nodes = nodesIn(body)
  return nodes
    ? [
        DECLARATION,
        write(
          nodes.map((node) => rewritten(node, most)),
          2,
        ),
      ].join('\n')
    : body
}

function nodesIn(body: string, captureSpacesBetweenElements = true): Node[] | undefined {
  try {
    return (xml2js(body, { captureSpacesBetweenElements }) as Node).elements
  } catch {
    return undefined
  }
}

/** xml-js does not write text back as it reads it: see lib/xml/xml-js.ts. */
function rewritten(node: Node, most: number): Node {
  const { name = '', attributes, elements = [] } = node
  if (node.type !== 'element') return node
  const seen = new Map<string, number>()
  const shown = elements.filter(({ type, name: own = '' }) => {
    seen.set(own, (seen.get(own) ?? 0) + 1)
    return type === 'text' || (seen.get(own) ?? 0) <= most
  })
  const inner = shown.flatMap((one) =>
    one.type === 'text' ? textNodes(`${one.text}`) : rewritten(one, most),
  )
  const left = shown.length < elements.length ? textNodes('…') : []
  return elementNode(name, [...inner, ...left], attributes as Record<string, string>)
}

/** The text of a handler's answer, without base64 and compression. */
export async function answerBody(answer: APIGatewayProxyResult | StreamedResult): Promise<string> {
  const bytes = isStreamed(answer)
    ? await buffer(answer.body)
    : Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8')
  return (answer.headers?.['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

/** Prints an answer's lists as tables and its values as lines. A body that is not XML stays. */
export function asTables(body: string): string {
  const root = rootNode(body)
  return root ? answerTables(root).map(asTable).join('\n\n') : body
}

/**
 * Prints an answer as JSON: elements by name, their text as it is, and a list for an element that repeats or
 * whose parent's name is its plural. A body that is not XML stays as it is.
 */
export function asJson(body: string): string {
  const root = rootNode(body)
  return root ? JSON.stringify(jsonOf(root), null, 2) : body
}

function jsonOf({ name, attributes, children, text }: XmlNode): unknown {
  if (children.length + attributes.length === 0) return text
  const names = [...new Set(children.map((child) => child.name))]
  const values = names.map((own) => {
    const alike = children.filter((child) => child.name === own).map(jsonOf)
    return [own, alike.length > 1 || isPluralOf(name, own) ? alike : alike[0]] as const
  })
  return Object.fromEntries([...attributes, ...values])
}

function rootNode(body: string): XmlNode | undefined {
  const root = nodesIn(body, false)?.find(({ type }) => type === 'element')
  return root && nodeOf(root)
}

const nodeOf = ({ name = '', attributes = {}, elements = [] }: Node): XmlNode => ({
  name,
  attributes: Object.entries(attributes).map(([key, value]) => [key, String(value)] as const),
  children: elements.filter(({ type }) => type === 'element').map(nodeOf),
  text: elements.map(({ type, text }) => (type === 'text' ? String(text) : '')).join(''),
})

function asTable({ title, rows }: AnswerTable): string {
  const [only] = rows
  if (rows.length === 1 && only) return inColumns(Object.entries(only))
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return [title, inColumns([names, ...rows.map((row) => names.map((name) => row[name] ?? ''))])].join('\n')
}

const inColumns = (lines: readonly (readonly string[])[]): string =>
  alignedLines(lines, widthsOf(lines)).trimEnd()
