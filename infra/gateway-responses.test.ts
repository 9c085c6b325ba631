import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { HEADERS_BELOW_METHODS } from '#lib/api/headers.ts'
import { refusalDocument } from '#lib/api/response.ts'
import { root } from '#tools/machine/program.ts'

const { Resources } = parse(readFileSync(`${root}infra/gateway-responses.yml`, 'utf8'))

test.each([
  ['BadRequestResponse', 'bad_request'],
  ['InternalErrorResponse', 'internal'],
  ['TooLargeResponse', 'too_large'],
  ['UnsupportedTypeResponse', 'unsupported_type'],
] as const)('%s says what the functions would say', async (name, kind) => {
  const document = await refusalDocument(kind)

  expect(Object.values(Resources[name].Properties.ResponseTemplates)).toEqual([document, document])
  expect(Resources[name].Properties.ResponseParameters).toEqual(
    Object.fromEntries(
      Object.entries(HEADERS_BELOW_METHODS).map(([header, value]) => [
        `gatewayresponse.header.${header}`,
        `'${value}'`,
      ]),
    ),
  )
})
