import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { loadResourceFiles } from '../console-config.ts'
import { consoleOpenApi } from './console-document.ts'

const document = consoleOpenApi(await loadResourceFiles())

test('the description of the console’s API is valid OpenAPI', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true })
})

test("every action needs the page's header, every operation but sign-in and look a session", () => {
  const operations = Object.values(document.paths).flatMap(
    (path) =>
      Object.entries(path) as [
        string,
        { operationId: string; security: []; parameters: { name: string }[] },
      ][],
  )

  for (const [verb, { parameters }] of operations)
    expect(parameters.some(({ name }) => name === 'X-Tollgate-Console')).toBe(verb !== 'get')
  expect(
    operations.filter(([, { security }]) => security.length === 0).map(([, { operationId }]) => operationId),
  ).toEqual(['get_brand', 'post_session', 'post_session_password', 'post_session_forgotten'])
  const ids = operations.map(([, { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
})
