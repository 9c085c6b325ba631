import busboy from 'busboy'
import type { Parameter } from './sent.ts'

/** What a decoder puts in the place of bytes that are not UTF-8. */
const NOT_UTF8 = '\uFFFD'

/**
 * Fields only: nobody listens to files, so they are read past. The whole body is parsed within `end`, in this call: what
 * the parser or a listener throws refuses the request, instead of ending the process from a callback.
 */
export function readMultipart(body: Buffer, contentType: string): Promise<Parameter[]> {
  const parameters: Parameter[] = []
  return new Promise((resolve, reject) => {
    const form = busboy({ headers: { 'content-type': contentType }, limits: { fieldSize: body.length } })
    form.on('field', (name, value) => parameters.push([name, readable(value)]))
    form.on('error', reject)
    form.on('close', () => resolve(parameters))
    form.end(body)
  })
}

/** The parser gives no value where it does not know the charset. */
function readable(value: string | undefined): string {
  if (value === undefined || value.includes(NOT_UTF8)) throw new TypeError('A field is not UTF-8')
  return value
}
