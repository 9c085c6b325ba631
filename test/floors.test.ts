import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/location.ts'

const FOLDERS = ['bench', 'console', 'functions', 'infra', 'lib', 'test', 'tools']

/** Tests may import whatever they look at. */
const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path)

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
).filter((path) => /\.tsx?$/.test(path) && !isTest(path))

/** Imports in templates are the text of generated files. */
const withoutTemplates = (text: string): string => text.replace(/`(?:[^`\\]|\\.)*`/gs, '``')

/** Static and dynamic imports, those of types included. */
const IMPORT = /(?:\bfrom |\bimport |\bimport\()'((?:\.\.?|#\w+)\/[^']+\.tsx?)'/g

const targetOf = (path: string, specifier: string): string =>
  specifier.startsWith('#') ? specifier.slice(1) : join(dirname(path), specifier)

const imports = new Map(
  sources.map((path) => {
    const specifiers = [...withoutTemplates(readFileSync(root + path, 'utf8')).matchAll(IMPORT)]
    return [path, specifiers.map(([, specifier = '']) => targetOf(path, specifier))] as const
  }),
)

const foldersIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)\/`/g)].map(([, name = '']) => name)

const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')

const [, importTable = ''] = contributing.split('### Imports')

/** The console shows its refusals on a page, and commander puts a sentence before those of its arguments. */
const STOPPED_ERROR =
  /new (?!ConsoleRefusal|InvalidArgumentError)[A-Z]\w*\(\s*(['`])((?:(?!\1)[^\\.?!]|\.(?! )|\\.)*)(?<!\.)\.\1/g

test('an error message of one sentence has no full stop at its end', () => {
  const stopped = sources
    .filter((path) => !path.startsWith('console/'))
    .flatMap((path) =>
      [...readFileSync(root + path, 'utf8').matchAll(STOPPED_ERROR)].map(([, , text]) => `${path}: ${text}`),
    )

  expect(stopped).toEqual([])
})

/** A line that names several folders stands for as many lines, in that order. */
const table = [...importTable.matchAll(/^\| (`.+`) \| (.+) \|$/gm)].flatMap(([, folders = '', cell = '']) =>
  foldersIn(folders).map((folder) => ({ folder, cell })),
)

/** The floors of CONTRIBUTING.md: a folder, and the folders whose files it may import. */
const rows = table.map(({ folder, cell }, index) => ({
  folder,
  cell,
  allowed: cell === 'anything below' ? table.slice(index + 1).map((below) => below.folder) : foldersIn(cell),
}))

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

/** The innermost folder of the table. */
const rowOf = (path: string) =>
  rows
    .filter(({ folder }) => isWithin(path, folder))
    .sort((one, other) => other.folder.length - one.folder.length)[0]

function isAllowed(path: string, target: string): boolean {
  const row = rowOf(path)
  const there = rowOf(target)
  if (!row || !there) return false
  return row === there || row.allowed.includes(there.folder)
}

test('every source file is in a folder that CONTRIBUTING.md names', () => {
  expect(rows.length).toBeGreaterThan(10)
  expect(sources.filter((path) => !rowOf(path))).toEqual([])
})

test('a file imports only from the folders that CONTRIBUTING.md allows', () => {
  const forbidden = [...imports].flatMap(([path, targets]) =>
    targets
      .filter((target) => !isAllowed(path, target))
      .map((target) => `${path} -> ${target}: ${rowOf(path)?.folder}/ imports ${rowOf(path)?.cell}`),
  )

  expect(forbidden).toEqual([])
})

test('every arrow that CONTRIBUTING.md allows is there', () => {
  const named = rows.filter(({ cell }) => cell !== 'anything below')
  const unused = named.flatMap(({ folder, allowed }) =>
    allowed.filter((name) => !hasArrow(folder, name)).map((name) => `${folder} -> ${name}`),
  )

  expect(unused).toEqual([])
})

const hasArrow = (from: string, to: string): boolean =>
  [...imports].some(
    ([path, targets]) =>
      rowOf(path)?.folder === from && targets.some((target) => rowOf(target)?.folder === to),
  )

test('the folders depend on each other in one direction, downwards', () => {
  const floorOf = (folder: string) => rows.findIndex((row) => row.folder === folder)
  const upwards = rows.flatMap(({ folder, allowed }) =>
    allowed.filter((name) => floorOf(name) <= floorOf(folder)).map((name) => `${folder} -> ${name}`),
  )

  expect(upwards).toEqual([])
})

test('no file imports itself through others, not even for a type', () => {
  expect(cyclesIn(imports)).toEqual([])
})

/** Takes away, again and again, what imports nothing that is left and what nothing left imports: circles stay. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph)
  for (;;) {
    const imported = new Set([...left.values()].flat())
    const ends = [...left].filter(
      ([name, targets]) => !imported.has(name) || !targets.some((target) => left.has(target)),
    )
    if (ends.length === 0) return [...left.keys()]
    for (const [name] of ends) left.delete(name)
  }
}

test('what AWS does not run is not in lib, but for what the console shows', () => {
  const running = new Set<string>()
  const left = sources.filter((path) => isWithin(path, 'functions') || isWithin(path, 'console'))
  for (const path of left) {
    if (running.has(path)) continue
    running.add(path)
    left.push(...(imports.get(path) ?? []))
  }
  const others = sources.filter((path) => isWithin(path, 'lib') && !running.has(path))

  expect(others.filter((path) => !path.endsWith('.d.ts'))).toEqual([])
})

test('every file on the ways through the house is there', () => {
  const named = [...contributing.matchAll(/^ {2,3}((?:functions|lib)\/[\w./-]+\.ts)/gm)].map(
    ([, path = '']) => path,
  )

  expect(named.length).toBeGreaterThan(25)
  expect(named.filter((path) => !sources.includes(path))).toEqual([])
})

test('the tree of CONTRIBUTING.md has a line for each folder of lib and tools', () => {
  const [, tree = ''] = /^## Where things are\n\n```\n(.+?)^```/ms.exec(contributing) ?? []
  const linesBelow = (folder: string) =>
    [...(tree.split(`\n${folder}/ `)[1]?.split(/\n(?=\S)/)[0] ?? '').matchAll(/^ {2}(\w+)\/ /gm)].map(
      ([, name = '']) => name,
    )
  const foldersOf = (folder: string) => [
    ...new Set(sources.flatMap((path) => new RegExp(`^${folder}/([^/]+)/`).exec(path)?.[1] ?? [])),
  ]

  expect(linesBelow('lib').sort()).toEqual(foldersOf('lib').sort())
  expect(
    linesBelow('tools')
      .filter((name) => name !== 'bin')
      .sort(),
  ).toEqual(foldersOf('tools').sort())
})

/** CONTRIBUTING.md says why there are exceptions. */
const MOST_FILES = 20
const CROWDED = ['lib/dataset/files', 'tools']

test('no folder has more files than a newcomer can look through', () => {
  const folders = [...new Set(sources.map((path) => dirname(path)))]
  const filesIn = (folder: string) => sources.filter((path) => dirname(path) === folder).length
  const crowded = folders.filter((folder) => filesIn(folder) > MOST_FILES && !CROWDED.includes(folder))

  expect(crowded).toEqual([])
})

/** Every file of a kind exports these: a method, a resource of the console, a command, a set-up of tests. */
const OF_EVERY_FILE = ['method', 'handler', 'resource', 'declare', 'setup']

/** Bundles take these from another file in place of the first one. */
const STAND_INS = ['describeRefusedHash', 'writeLogLine']

test('an exported name has one meaning', () => {
  const declaration = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
  const names = sources.flatMap((path) =>
    [...withoutTemplates(readFileSync(root + path, 'utf8')).matchAll(declaration)].map(
      ([, name = '']) => name,
    ),
  )
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)

  expect(names.length).toBeGreaterThan(1000)
  expect([...new Set(repeated)].filter((name) => !OF_EVERY_FILE.includes(name)).sort()).toEqual(STAND_INS)
})
