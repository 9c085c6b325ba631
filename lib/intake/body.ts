import { Buffer } from 'node:buffer'

const FIELD = 'cdr='

/**
 * The document in the body of a request. FreeSWITCH sends it as it is (application/json, text/xml) or, by its setting
 * `encode`, behind `cdr=` as a form field, in base64, or as it is (process_cdr in mod_json_cdr.c, my_on_reporting in
 * mod_xml_cdr.c).
 */
export function documentIn(body: string, contentType: string): string {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!body.startsWith(FIELD)) return body
  const field = body.slice(FIELD.length)
  if (type === 'application/x-www-form-base64-encoded') return Buffer.from(field, 'base64').toString('utf8')
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(body).get('cdr') ?? field
  return type === 'application/x-www-form-plaintext' ? field : body
}
