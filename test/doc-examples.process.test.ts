import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '#tools/machine/program.ts'

/** Each is the first thing of its room that a newcomer meets, and has an example. */
const MAKERS = ['changeCalls', 'defineEntity', 'defineMethod', 'entityRows', 'keyForm', 'rowWriter']

const sources = readdirSync(`${root}lib`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ path: `#lib/${name}`, text: readFileSync(`${root}lib/${name}`, 'utf8') }))

/** The file of each exported name: names are unique in the repository. */
const fileOf = new Map(
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function|const|interface|type|class) (\w+)/gm)].map(
      ([, name = '']) => [name, path] as const,
    ),
  ),
)

/** The lines from `@example` to a blank line, a tag or the comment's end, and the name below. */
const EXAMPLE =
  /^ \* @example\n((?: \* [^@\n].*\n)+)(?:(?! \*\/).*\n)* \*\/\nexport (?:async )?(?:function|const) (\w+)/gm

const examples = sources.flatMap(({ text }) =>
  [...text.matchAll(EXAMPLE)].map(([, lines = '', name = '']) => ({
    name,
    code: lines.replace(/^ \* /gm, ''),
  })),
)

/** An example as a module: it imports the exported names that it uses and does not declare. */
function moduleOf(code: string): string {
  const names = [...new Set(code.replace(/'[^'\n]*'/g, '').match(/(?<![.\w])\w+/g))]
  const used = names.filter(
    (name) => fileOf.has(name) && !new RegExp(`\\b(const|function) ${name}\\b`).test(code),
  )
  const imports = used.map((name) => `import { ${name} } from '${fileOf.get(name)}'\n`)
  return `${imports.join('')}\n${code}`
}

test('the makers have an example', () => {
  expect(examples.map(({ name }) => name).sort()).toEqual(MAKERS)
})

test('tsc compiles every example', () => {
  mkdirSync(`${root}.build`, { recursive: true })
  const folder = mkdtempSync(`${root}.build/examples-`)
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const configuration = {
    extends: '../../tsconfig.json',
    compilerOptions: { verbatimModuleSyntax: false, noUnusedLocals: false },
    include: ['*.ts', '../../lib/**/*.d.ts'],
  }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(configuration))
  for (const { name, code } of examples) writeFileSync(`${folder}/${name}.ts`, moduleOf(code))
  expect(compile(folder)).toBe('')
})

/** The complaints of tsc. */
function compile(folder: string): string {
  try {
    return execFileSync(`${root}node_modules/.bin/tsc`, ['-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return Object(error).stdout
  }
}
