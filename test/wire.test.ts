import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { root } from '#tools/machine/program.ts'

const files = await loadFunctionFiles()
const rules = readFileSync(`${root}docs/wire.md`, 'utf8')
const headings = [...rules.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading)

/** A citation names the number of a section or a method. */
const sections = new Set(headings.map((heading) => heading.split(' ', 1)[0]))

/** Headings in the form of anchors. */
const anchors = new Set(
  headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  ),
)

test.each(files.map(({ method }) => method.name))('docs/wire.md has a section about %s', (name) => {
  expect([...sections]).toContain(name)
})

test('a rule begins with a known mark, or with none, which is a decision', () => {
  const marks = [...rules.matchAll(/^- (\*\*.*?\*\*)/gm)].map(([, mark]) => mark)

  expect([...new Set(marks)].sort()).toEqual(['**Compatibility.**', '**Documented.**'])
})

test('sections are numbered in order and without repetition', () => {
  const numbers = headings.flatMap((heading) => heading.match(/^\d+(\.\d+)?/)?.[0] ?? [])

  expect(headings).toEqual([...new Set(headings)])
  expect(numbers).toEqual(numbers.toSorted((one, other) => Number(one) - Number(other)))
})

/** The files that people write or read, without hidden and installed ones. */
const written = readdirSync(root, { withFileTypes: true })
  .filter(({ name }) => !/^(\.(?!github$)|node_modules$)/.test(name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(root + entry.name, { recursive: true }).map((below) => `${entry.name}/${below}`)
      : [entry.name],
  )
  .filter((path) => /\.(ts|cjs|yml|md)$/.test(path))
  .map((path) => [path, readFileSync(root + path, 'utf8')] as const)

/** A comment may break the line within a citation. */
const CITATION = /\(wire\.md\s(?:\s*\* )?([\w.]+(?:,\s(?:\s*\* )?[\w.]+)*)\)/g
const LINK = /(?:docs\/|\]\(|\[)wire\.md(?:#([\w-]+))?/g

const wrongIn = (text: string): string[] => [
  ...[...text.matchAll(CITATION)].flatMap(([, cited = '']) =>
    cited.split(/,[\s*]+/).filter((section) => !sections.has(section)),
  ),
  ...[...text.matchAll(LINK)].flatMap(([, anchor]) =>
    anchor === undefined || anchors.has(anchor) ? [] : [`#${anchor}`],
  ),
  ...(text
    .replace(CITATION, '')
    .replace(LINK, '')
    .match(/.*\bwire\.md\b.*/g) ?? []),
]

test('every citation of a rule names an existing section', () => {
  const wrong = written.flatMap(([path, text]) => wrongIn(text).map((what) => `${path}: ${what.trim()}`))

  expect(wrong.filter((line) => !line.startsWith('test/wire.test.ts'))).toEqual([])
})

test.each([
  ['an unknown section', '(wire.md 4.99)', ['4.99']],
  ['an unknown method', '(wire.md 4.3, rate_put)', ['rate_put']],
  ['an unknown section, on the next line', '(wire.md\n * 4.99,\n * 4.3)', ['4.99']],
  ['an unknown anchor', '[rules](wire.md#rates)', ['#rates']],
  ['another form', 'see wire.md, 4.3', ['see wire.md, 4.3']],
])('a citation is wrong: %s', (_case, text, wrong) => {
  expect(wrongIn(text)).toEqual(wrong)
})

/** Expressions that cited rules before the rules were part of the repository. */
const OUTSIDE = /wire[ ]decisions|[(]specification|the[ ]specification/i

test('no comment cites a rule outside the repository', () => {
  expect(written.filter(([, text]) => OUTSIDE.test(text)).map(([path]) => path)).toEqual([])
})
