import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/location.ts'
import { costsTable, priceOfRuns } from './costs.ts'

const page = (name: string) => readFileSync(`${root}docs/${name}`, 'utf8')

/** The units of an operation in the table of docs/scale.md. */
function unitsOf(operation: string) {
  const row =
    page('scale.md')
      .split('\n')
      .find((line) => line.startsWith(`| ${operation}`)) ?? ''
  const [, , write, read] = row.split('|')
  return { write: Number(write), read: Number(read) }
}

test('the dollars of docs/scale.md follow from its units and from the memory of the deployed functions', () => {
  const { columns = [], rows } = costsTable({
    request: unitsOf('a request of one portal'),
    list: unitsOf('a request of a customer'),
    cdr: unitsOf('a CDR that comes alone'),
    taken: unitsOf('a CDR in a message of its own'),
    batched: unitsOf('a CDR, 100 in a message'),
  })
  const lines = [columns, ...rows].map((cells) => `| ${cells.join(' | ')} |`)

  expect(lines.filter((line) => !page('scale.md').includes(line))).toEqual([])
})

test('the time of Lambda in docs/deployment.md is that of the deployed memory', () => {
  const dollars = [
    priceOfRuns('devices_get', 0.03),
    priceOfRuns('user_calls_get', 0.03),
    priceOfRuns('rate_get', 0.03),
    priceOfRuns('quickstats_get', 0.03),
    priceOfRuns('user_login', 0.35),
  ]

  expect(page('deployment.md')).toContain(`| ${dollars.map((one) => one.toFixed(2)).join(' | ')} |`)
})
