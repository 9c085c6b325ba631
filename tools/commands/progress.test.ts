import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

test('without a terminal, a line every five seconds gives rows, rate and time left', () => {
  const lines: string[] = []
  let now = 0
  const output = { isTTY: false, write: (line: string) => lines.push(line) > 0 }
  const progress = createProgress(output, () => now)
  for (const done of [100, 200, 300, 400]) {
    progress.show({ file: 'users', phase: 'write', done, total: 1000 })
    now += 2500
  }
  progress.stop()

  expect(lines).toEqual(['importing users: 300 of 1000 rows, 40/s, 18s left\n'])
})

test('a rate and a time left are shown together or not at all', () => {
  const lines: string[] = []
  let now = 0
  const output = { isTTY: false, write: (line: string) => lines.push(line) > 0 }
  const progress = createProgress(output, () => now)
  for (const done of [100, 200, 300]) {
    progress.show({ file: 'users', phase: 'check', done })
    now += 2500
  }

  expect(lines).toEqual(['checking users: 300 rows\n'])
})

test('the time left follows the rate of the last minute: stored rows pass faster than new ones', () => {
  const lines: string[] = []
  let now = 0
  const output = { isTTY: false, write: (line: string) => lines.push(line) > 0 }
  const progress = createProgress(output, () => now)
  const show = (done: number) => {
    progress.show({ file: 'calls', phase: 'write', done, total: 100_000 })
    now += 30_000
  }
  for (const done of [0, 30_000, 60_000, 60_300, 60_600, 60_900]) show(done)

  expect(lines.at(-1)).toBe('importing calls: 60900 of 100000 rows, 10/s, 65m10s left\n')
})
