import { readFileSync } from 'node:fs'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { isSigned } from '#lib/api/signature.ts'
import { loadResourceFiles } from '#tools/contracts/console-config.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { ANSWER_TIMEOUT_SECONDS, type FunctionConfigs } from '#tools/contracts/functions-config.ts'
import { ANSWERS_FILE, type Answers, demoKey, generatedFiles } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'

const files = await loadFunctionFiles()
const answers = JSON.parse(readFileSync(root + ANSWERS_FILE, 'utf8')) as Answers
const deployed = parse(readFileSync(`${root}infra/functions.yml`, 'utf8')) as FunctionConfigs

const LONGEST_NAME = 64

test.each(Object.entries(generatedFiles(files, answers, await loadResourceFiles())))(
  '%s is what the contracts say: npm run generate',
  (path, text) => {
    expect(readFileSync(root + path, 'utf8')).toBe(text)
  },
)

test('every method is deployed, and nothing else', () => {
  const handlers = Object.values(deployed).map(({ handler }) => handler)

  expect(handlers).toEqual([...files.map(({ path }) => `${path}.handler`), 'functions/not_found.handler'])
})

test('no two methods answer under one path', () => {
  const paths = Object.values(deployed).flatMap(({ events }) => events.map(({ http }) => http.path))

  expect(paths).toEqual([...new Set(paths)])
})

test('a function has the same timeout locally as in AWS', () => {
  const { provider } = parse(readFileSync(`${root}serverless.yml`, 'utf8'))

  expect(provider.timeout).toBe(ANSWER_TIMEOUT_SECONDS)
})

test('function names with service and stage fit the limit of Lambda', () => {
  const names = Object.keys(deployed).map((name) => `tollgate-production-${name}`)

  expect(names.filter(({ length }) => length > LONGEST_NAME)).toEqual([])
})

test.each(files.map(({ method }) => [method.name, method] as const))(
  'the event of %s is signed, and a person can read and change it',
  (name, method) => {
    const event = JSON.parse(readFileSync(`${root}events/${name}.json`, 'utf8')) as APIGatewayProxyEvent
    const params = Object.fromEntries(new URLSearchParams(event.body ?? ''))

    expect(event.isBase64Encoded).toBe(false)
    expect(Object.keys(event.headers)).not.toContain('Accept-Encoding')
    expect(method.callers === 'public' || isSigned(params, method.hashOrders, demoKey())).toBe(true)
    expect(Object.keys({ u: '', hash: '', ...method.params })).toEqual(
      expect.arrayContaining(Object.keys(params)),
    )
  },
)
