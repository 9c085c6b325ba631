import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { countersOf, SHARD_COUNTS } from '#lib/base/shards.ts'
import { root } from '#tools/machine/program.ts'

const WRITES_OF_A_PARTITION = 1000
/** Started, answered, ended. */
const WRITES_OF_A_LIVE_CALL = 3
const UNITS_OF_A_LIST = 0.5
/** One request, for the settings and the caller. */
const UNITS_OF_A_CALLER = 2

function rowOf(shards: number): string {
  const counters = countersOf('everyone', shards)
  const live = (WRITES_OF_A_PARTITION / WRITES_OF_A_LIVE_CALL) * shards
  const lists = shards + counters
  const cells = [
    shards,
    Number(live.toPrecision(2)).toLocaleString('en'),
    counters,
    1 + lists,
    UNITS_OF_A_CALLER + UNITS_OF_A_LIST * lists,
  ]
  return `| ${cells.join(' | ')} |`
}

test('docs/deployment.md tells what each number of shards takes and costs', () => {
  const page = readFileSync(`${root}docs/deployment.md`, 'utf8')

  expect(SHARD_COUNTS.map(rowOf).filter((row) => !page.includes(row))).toEqual([])
})
