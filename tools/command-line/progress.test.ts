import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
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

test('at a terminal, rows are counted until their total is known, and a bar is never full of 0', () => {
  let shown = ''
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100 })
  output.on('data', (chunk: Buffer) => {
    shown += chunk
  })
  const terminal = {
    clearLine: () => true,
    cursorTo: () => true,
    moveCursor: () => true,
    getWindowSize: () => [100, 20],
  }
  const progress = createProgress(Object.assign(output, terminal))
  progress.show({ file: 'queue_log', phase: 'write', done: 0, total: 0 })
  progress.show({ file: 'users', phase: 'check', done: 100 })
  progress.stop()
  progress.show({ file: 'users', phase: 'write', done: 50, total: 100 })
  progress.stop()

  expect(stripVTControlCharacters(shown)).toContain('checking users: 100 rows')
  expect(stripVTControlCharacters(shown)).toMatch(/importing users \[█+░+\] 50\/100 rows/)
  expect(shown).not.toMatch(/queue_log|0\/0|100\/100/)
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
