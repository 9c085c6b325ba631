import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'
import { type Element as Node, xml2js } from 'xml-js'
import { DECLARATION, elementNode, textNodes, write } from '#lib/xml/xml-js.ts'

/** One element a line, its text escaped as on the wire. Something that is not XML, of a proxy for instance, stays as it is. */
export function indented(body: string): string {
  const nodes = nodesIn(body)
  return nodes ? [DECLARATION, write(nodes.map(rewritten), 2)].join('\n') : body
}

function nodesIn(body: string): Node[] | undefined {
  try {
    return (xml2js(body, { captureSpacesBetweenElements: true }) as Node).elements
  } catch {
    return undefined
  }
}

/** What xml-js reads it does not write back without help: see there. */
function rewritten(node: Node): Node {
  const { name = '', attributes, elements = [] } = node
  if (node.type !== 'element') return node
  const inner = elements.flatMap((one) => (one.type === 'text' ? textNodes(`${one.text}`) : rewritten(one)))
  return elementNode(name, inner, attributes as Record<string, string>)
}

/** The body of a Lambda's answer, without the wrapping of API Gateway. */
export function bodyOf({ body, headers, isBase64Encoded }: APIGatewayProxyResult): string {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  return (headers?.['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}
