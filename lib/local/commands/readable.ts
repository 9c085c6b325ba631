import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyResult } from 'aws-lambda'

/** A piece of a document: an element that holds only text, a tag, or text between elements. */
const PIECES = /<([^\s>/]+)[^>]*>[^<]*<\/\1>|<[^>]+>|[^<]+/g

const OPENS = /^<[^/?!][^<]*(?<!\/)>$/

/** One element a line, indented; the text itself stays as it is on the wire, escapes included. */
export function indented(document: string): string {
  const lines: string[] = []
  let depth = 0
  for (const piece of document.match(PIECES) ?? []) {
    if (piece.startsWith('</')) depth -= 1
    lines.push('  '.repeat(Math.max(depth, 0)) + piece)
    if (OPENS.test(piece)) depth += 1
  }
  return lines.join('\n')
}

/** The body of a Lambda's answer, without the wrapping of API Gateway. */
export function bodyOf({ body, headers, isBase64Encoded }: APIGatewayProxyResult): string {
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  return (headers?.['Content-Encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}
