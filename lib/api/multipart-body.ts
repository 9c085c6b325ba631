import { Readable } from 'node:stream'
import busboy from 'busboy'
import type { Parameter } from './sent.ts'

/** What a decoder puts in the place of bytes that are not UTF-8. */
const NO_UTF8 = '\uFFFD'

/** Fields only: a file is read past and ignored. */
export function readMultipart(body: Buffer, contentType: string): Promise<Parameter[]> {
  const parameters: Parameter[] = []
  return new Promise((resolve, reject) => {
    const form = busboy({ headers: { 'content-type': contentType }, limits: { fieldSize: body.length } })
    form.on('field', (name, value) => {
      if (value.includes(NO_UTF8)) return reject(new TypeError('A field is not UTF-8'))
      parameters.push([name, value])
    })
    form.on('file', (_name, file) => file.resume())
    form.on('error', reject)
    form.on('close', () => resolve(parameters))
    Readable.from([body]).on('error', reject).pipe(form)
  })
}
