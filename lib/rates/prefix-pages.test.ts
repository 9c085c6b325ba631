import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ascending } from '#lib/base/collections.ts'
import { ownLines, type Page, packPages, prefixOfLine, readPage } from './prefix-pages.ts'
import { numberPrefixes } from './rating.ts'

/** Sorted lines of thousands of nested prefixes, with text that hardly compresses. */
const someLines = (size: number) =>
  fc
    .infiniteStream(fc.tuple(fc.nat(99_999), fc.nat(3), fc.double()))
    .map((stream) =>
      [...stream.take(size)]
        .map(([prefix, row, noise]) => `${String(prefix).slice(0, 1 + (prefix % 5))}\t${row}\t${noise}`)
        .sort(ascending),
    )

const pack = (lines: readonly string[]): { pages: Page[]; sizes: number[] } => {
  const packed = [...packPages('P', lines)].map(({ item }) => item)
  return { pages: packed.map(readPage), sizes: packed.map((item) => item.packed.length) }
}

test('the own lines of all pages are the lines that were packed', () => {
  fc.assert(
    fc.property(someLines(3000), (lines) => {
      expect(pack(lines).pages.flatMap(ownLines)).toEqual(lines)
    }),
    { numRuns: 20 },
  )
})

test('the last page at or before a number has all lines of its leading parts', () => {
  fc.assert(
    fc.property(someLines(3000), fc.array(fc.nat(9_999_999), { minLength: 50 }), (lines, numbers) => {
      const { pages } = pack(lines)
      for (const digits of numbers.map(String)) {
        const parts = numberPrefixes(digits)
        const page = pages.findLast(({ first }) => first <= digits)
        const found = page?.lines.filter((line) => parts.includes(prefixOfLine(line))) ?? []
        expect(found).toEqual(lines.filter((line) => parts.includes(prefixOfLine(line))))
      }
    }),
    { numRuns: 20 },
  )
})

test('pages stay under 7,500 bytes and are well filled', () => {
  const lines = Array.from({ length: 20_000 }, (_, row) => `${10_000 + row}\t${Math.sin(row)}`)
  const { pages, sizes } = pack(lines)

  expect(Math.max(...sizes)).toBeLessThanOrEqual(7500)
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(6900)
  expect(pages.map(({ next }) => next)).toEqual([...pages.slice(1).map(({ first }) => first), ''])
})

test('all lines of a prefix are on one page, however many', () => {
  const lines = Array.from(
    { length: 3000 },
    (_, row) => `370\t${String(row).padStart(4, '0')}${Math.sin(row)}`,
  )
  const { pages } = pack(['37\t', ...lines, '3706\t'])

  expect(pages.map(({ first, inherited }) => [first, inherited])).toEqual([
    ['37', 0],
    ['370', 1],
    ['3706', 3001],
  ])
})

test('no lines make no page', () => {
  expect([...packPages('P', [])]).toEqual([])
})
