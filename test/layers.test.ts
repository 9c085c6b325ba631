import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'

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

const specifiersIn = (path: string): string[] =>
  [...withoutTemplates(readFileSync(root + path, 'utf8')).matchAll(IMPORT)].map(
    ([, specifier = '']) => specifier,
  )

const imports = new Map(
  sources.map((path) => [path, specifiersIn(path).map((specifier) => targetOf(path, specifier))] as const),
)

const foldersIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)\/`/g)].map(([, name = '']) => name)

const contributing = readFileSync(`${root}CONTRIBUTING.md`, 'utf8')

const [, importTable = ''] = contributing.split('### Imports')

/** Commander puts a sentence before those of its arguments. */
const STOPPED_ERROR =
  /(?:new (?!InvalidArgumentError)[A-Z]\w*|(?:row|file|cdr)Refused|usageError|invalidValue|forbidden)\(\s*(['`])((?:(?!\1)[^\\.?!]|\.(?! )|\\.)*)(?<!\.)\.\1/g

test('an error message of one sentence has no full stop at its end', () => {
  const stopped = sources
    .filter((path) => !path.startsWith('console/'))
    .flatMap((path) =>
      [...readFileSync(root + path, 'utf8').matchAll(STOPPED_ERROR)].map(([, , text]) => `${path}: ${text}`),
    )

  expect(stopped).toEqual([])
})

/** The tower of CONTRIBUTING.md, from top to base: each line has the rooms of one layer. */
const layers = [...importTable.matchAll(/^\| (`.+`) \| .+ \|$/gm)].map(([, cell = '']) => foldersIn(cell))
const rooms = layers.flat()

const isWithin = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)

const roomOf = (path: string) => rooms.find((room) => isWithin(path, room))

const layerOf = (room: string) => layers.findIndex((layer) => layer.includes(room))

function isAllowed(path: string, target: string): boolean {
  const [room, other] = [roomOf(path), roomOf(target)]
  if (!room || !other) return false
  return room === other || layerOf(other) > layerOf(room)
}

test('every source file is in a room that CONTRIBUTING.md names', () => {
  expect(rooms.length).toBeGreaterThan(15)
  expect(sources.filter((path) => !roomOf(path))).toEqual([])
  expect(rooms.filter((room) => !sources.some((path) => isWithin(path, room)))).toEqual([])
})

test('a file imports only from its own room and from rooms further down', () => {
  const forbidden = [...imports].flatMap(([path, targets]) =>
    targets.filter((target) => !isAllowed(path, target)).map((target) => `${path} -> ${target}`),
  )

  expect(forbidden).toEqual([])
})

test('an import from another room of lib names it', () => {
  const nameless = sources.flatMap((path) =>
    specifiersIn(path)
      .filter((specifier) => specifier.startsWith('.') && roomOf(targetOf(path, specifier)) !== roomOf(path))
      .map((specifier) => `${path} -> ${specifier}`),
  )

  expect(nameless.filter((line) => line.includes('lib/'))).toEqual([])
})

test('the page of the console reaches nothing of the table', () => {
  const reached = new Set(['console/main.tsx'])
  for (const path of reached) for (const target of valueImportsOf(path)) reached.add(target)

  expect(reached.size).toBeGreaterThan(100)
  expect([...reached].filter((path) => isWithin(path, 'lib/table'))).toEqual([])
})

/** Imports of types are gone in the browser. */
const valueImportsOf = (path: string): string[] =>
  [
    ...readFileSync(root + path, 'utf8')
      .replace(/^import type [^']+'[^']+'$/gm, '')
      .matchAll(IMPORT),
  ].map(([, specifier = '']) => targetOf(path, specifier))

test('no file imports itself through others, not even for a type', () => {
  expect(cyclesIn(imports)).toEqual([])
})

/** Repeatedly removes what imports nothing left or what nothing left imports: circles stay. */
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

/** What is added here is one subject in two folders: merge them, or move what both need. */
const MOST_MUTUAL_FOLDERS = 9

test('few pairs of folders import each other', () => {
  const edges = new Set(
    [...imports].flatMap(([path, targets]) => targets.map((target) => `${dirname(path)} ${dirname(target)}`)),
  )
  const mutual = [...edges].filter((edge) => {
    const [folder = '', other = ''] = edge.split(' ')
    return folder < other && !folder.startsWith('test') && edges.has(`${other} ${folder}`)
  })

  expect(mutual.length, mutual.join('\n')).toBeLessThanOrEqual(MOST_MUTUAL_FOLDERS)
})

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

test('every file on the ways through the tree is there', () => {
  const named = [...contributing.matchAll(/^ {2,3}((?:functions|lib)\/[\w./-]+\.ts)/gm)].map(
    ([, path = '']) => path,
  )

  expect(named.length).toBeGreaterThan(25)
  expect(named.filter((path) => !sources.includes(path))).toEqual([])
})

test('the tree of CONTRIBUTING.md has a line for each folder of lib and tools', () => {
  const [, tree = ''] = /^## Where things are\n.+?^```\n(.+?)^```/ms.exec(contributing) ?? []
  const linesBelow = (folder: string) =>
    [...(tree.split(`\n${folder}/ `)[1]?.split(/\n(?=\S)/)[0] ?? '').matchAll(/^ {2}([\w-]+)\/ /gm)].map(
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

/** CONTRIBUTING.md names the exception. */
const MOST_FILES = 20
const CROWDED = ['lib/dataset/files']

test('no folder has more files than a newcomer can look through', () => {
  const folders = [...new Set(sources.map((path) => dirname(path)))]
  const filesIn = (folder: string) => sources.filter((path) => dirname(path) === folder).length
  const crowded = folders.filter((folder) => filesIn(folder) > MOST_FILES && !CROWDED.includes(folder))

  expect(crowded).toEqual([])
})

/** Biome breaks lines of code, but no comments. */
const COMMENT_COLUMNS = 110

test('no comment is wider than the code', () => {
  const wide = sources.flatMap((path) =>
    readFileSync(root + path, 'utf8')
      .split('\n')
      .filter((line) => /^ *(?:\*|\/\*|\/\/)/.test(line) && line.length > COMMENT_COLUMNS)
      .filter((line) => !line.includes('biome-ignore'))
      .map((line) => `${path}: ${line.trim()}`),
  )

  expect(wide).toEqual([])
})

/** Every file of a kind exports these: a method, a resource of the console, a command, a set-up of tests. */
const OF_EVERY_FILE = ['method', 'handler', 'resource', 'declare', 'setup']

test('an exported name has one meaning', () => {
  const declaration = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
  const names = sources.flatMap((path) =>
    [...withoutTemplates(readFileSync(root + path, 'utf8')).matchAll(declaration)].map(
      ([, name = '']) => name,
    ),
  )
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)

  expect(names.length).toBeGreaterThan(1000)
  expect([...new Set(repeated)].filter((name) => !OF_EVERY_FILE.includes(name))).toEqual([])
})
