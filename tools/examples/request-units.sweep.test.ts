import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import type { LogFields } from '#lib/table/log-line.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { root } from '#tools/machine/program.ts'
import { answerTo } from '../developing/generate.ts'
import { type DemoCopies, importDemo } from './demo-copies.ts'

const page = readFileSync(`${root}docs/deployment.md`, 'utf8')

/** The column of each method in the table of prices. The last number is what a login writes. */
const COLUMNS = ['devices_get', 'user_calls_get', 'rate_get', 'quickstats_get', 'user_login', 'written']

function unitsOnThePage(): Record<string, number> {
  const [, columns = ''] = /\| DynamoDB \((.*?)\) \|/.exec(page) ?? []
  const [, list = ''] = /^Read units of the other methods.*?:([\s\S]*?)\n\n/m.exec(page) ?? []
  return Object.fromEntries([
    ...[...list.matchAll(/(\w+_\w+) ([\d.]+)/g)].map(([, name, units]) => [name, Number(units)]),
    ...COLUMNS.map((name, index) => [name, Number(columns.match(/[\d.]+/g)?.[index])]),
  ])
}

/** The log line of a method's example, from a function without memory. The address has logged in before. */
async function lineOf(demo: DemoCopies, method: Method): Promise<LogFields> {
  const lines: LogFields[] = []
  const params = signedParameters(method, exampleOf(method.name), demoKey())
  await demo.on(async (services) => {
    await answerTo(services, method, params)
    await answerTo({ ...services, log: (line) => void lines.push(line) }, method, params)
  })
  return lines.at(-1) ?? {}
}

test('docs/deployment.md has the units that each reading method and a login take on the demo', async () => {
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const demo = await importDemo()
  const measured: Record<string, unknown> = {}
  try {
    for (const method of methods.filter(({ name, access }) => access === 'read' || name === 'user_login')) {
      const { read_units, write_units } = await lineOf(demo, method)
      measured[method.name] = read_units
      if (method.name === 'user_login') measured['written'] = write_units
    }
  } finally {
    await demo.remove()
  }

  const { quickstats_get, ...others } = measured
  const { quickstats_get: told = 0, ...othersTold } = unitsOnThePage()
  expect(othersTold).toEqual(others)
  // The import draws the partitions of each day's counters: one of them may be a page longer.
  expect([told, told + 0.5]).toContain(quickstats_get)
}, 300_000)
