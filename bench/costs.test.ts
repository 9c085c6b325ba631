import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import { costsTable, dataOut, pricesOfCdrs, pricesOfRequests } from './costs.ts'

const deployment = readFileSync(`${root}docs/deployment.md`, 'utf8')

/** The units of an operation in the table of docs/deployment.md. */
function unitsOf(operation: string) {
  const row = deployment.split('\n').find((line) => line.startsWith(`| ${operation}`)) ?? ''
  const [, , write, read] = row.split('|')
  return { write: Number(write), read: Number(read) }
}

test("docs/deployment.md's dollars follow from its units and from the memory of the deployed functions", () => {
  const { columns = [], rows } = costsTable({
    request: unitsOf('a request of one portal'),
    list: unitsOf('a request of a customer'),
    cdr: unitsOf('a CDR that comes alone'),
    taken: unitsOf('a CDR in a message of its own'),
    batched: unitsOf('a CDR, 100 in a message'),
  })
  const lines = [columns, ...rows].map((cells) => `| ${cells.join(' | ')} |`)

  expect(lines.filter((line) => !deployment.includes(line))).toEqual([])
})

test('the data out of 10,000 requests a second is named by itself', () => {
  const { terabytes, dollars } = dataOut(10_000)
  const [, told, price = ''] = /the (\d+) TB of answers cost ([\d,]+) dollars/.exec(deployment) ?? []

  expect([told, price.replace(',', '')]).toEqual(
    [String(Math.floor(terabytes)), dollars.toPrecision(2)].map((text) => String(Number(text))),
  )
})

/** The cells after the label in each row of the table whose first cell begins so. */
const rowsFrom = (label: string, count: number): string[][] => {
  const lines = deployment.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`| ${label}`))
  return lines.slice(first, first + count).map((line) =>
    line
      .replaceAll('*', '')
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim()),
  )
}

const transposed = (columns: readonly (readonly number[])[]): string[][] =>
  (columns[0] ?? []).map((_, row) => columns.map((column) => (column[row] ?? 0).toFixed(2)))

const withSum = (parts: readonly number[]): number[] => [...parts, parts.reduce((sum, part) => sum + part, 0)]

const SECONDS_OF_A_LOGIN = 0.35

test("docs/deployment.md's dollars of a million requests follow from its units and deployed memory", () => {
  const [, units = ''] = /\| DynamoDB \((.*?)\) \|/.exec(deployment) ?? []
  const [object = 0, list = 0, rate = 0, stats = 0, login = 0, write = 0] =
    units.match(/[\d.]+/g)?.map(Number) ?? []
  const columns = [
    pricesOfRequests('devices_get', { read: object, write: 0 }),
    pricesOfRequests('user_calls_get', { read: list, write: 0 }),
    pricesOfRequests('rate_get', { read: rate, write: 0 }),
    pricesOfRequests('quickstats_get', { read: stats, write: 0 }),
    pricesOfRequests('user_login', { read: login, write }, SECONDS_OF_A_LOGIN),
  ]

  expect(rowsFrom('API Gateway | 3.50', 8)).toEqual(transposed(columns.map(withSum)))
})

test('the two bills of docs/deployment.md follow from its other figures', () => {
  const [, ofARequest] = /API requests, at ([\d.]+) a million/.exec(deployment) ?? []
  const [, standing, key] =
    /metrics of our own ([\d.]+) a month, the key .*? ([\d.]+), the/.exec(deployment) ?? []
  const [, ofACall] = /kept\s+calls cost about ([\d.]+) a month/.exec(deployment) ?? []
  const bill = (cdrs: number, requests: number, taken: number) =>
    withSum([
      ...pricesOfCdrs(cdrs, unitsOf('a CDR that comes alone'), taken),
      requests * Number(ofARequest),
      Number(standing) + Number(key),
      12 * cdrs * Number(ofACall),
    ])

  expect(ofARequest).toBe(rowsFrom('API Gateway | 3.50', 8).at(-1)?.[1])
  expect(rowsFrom('DynamoDB for CDRs', 7)).toEqual(transposed([bill(0.0438, 0.02, 1), bill(4.38, 1, 2)]))
})
