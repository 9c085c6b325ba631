import { execFile, execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import { copyTree, surroundingsIn } from './copied-tree.ts'

/** The lines of a new column of devices, as a developer writes them: in each file, one after another one. */
const WRITTEN: Readonly<Record<string, readonly [after: string, line: string][]>> = {
  'lib/devices/device-stored.ts': [
    ['  blankMeans,', '  addedLater,'],
    [
      '  portal_last_login_ip: ',
      "  room: secret(labelled(addedLater(text(), ''), 'Room', 'where it stands')),",
    ],
  ],
  'test/releases/further-rows.yml': [['    portal_last_login_ip: ', '    room: hall']],
  'CHANGELOG.md': [['### Changed', '\n- The column `room` of devices.']],
}

const GENERATED = ['data/releases/1.0.0/answers.json', 'docs/datasets.md']

/** It checks the types, and starts three commands and some tests. */
const MOST_MS = 900_000

let folder = ''

beforeAll(async () => {
  folder = await copyTree()
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const run = promisify(execFile)

const node = async (...words: readonly string[]) =>
  (await run(process.execPath, [...words], { ...surroundingsIn(folder), maxBuffer: 2 ** 26 })).stdout

const tollgate = (...words: readonly string[]) => node('tools/bin/tollgate.js', ...words)

test(
  'a new column of devices touches 5 files, and the file, the form, the command and the docs have it',
  async () => {
    const before = await filesOfCopy()
    for (const [path, lines] of Object.entries(WRITTEN)) await writeLines(join(folder, path), lines)

    await node('node_modules/typescript/bin/tsc')
    await tollgate('generate')
    await tollgate('release-fixture', '--answers')

    const after = await filesOfCopy()
    const changed = [...after.keys()].filter((name) => after.get(name) !== before.get(name))
    expect(changed.sort()).toEqual([...Object.keys(WRITTEN), ...GENERATED].sort())
    expect(await tollgate('device', 'add', '--help')).toMatch(
      /--room-stdin +Room: read it from standard input/,
    )
    expect(await node('node_modules/vitest/vitest.mjs', 'run', 'test/releases', 'functions/devices')).toMatch(
      /Tests .*passed/,
    )
    expect(await readFile(join(folder, 'docs/datasets.md'), 'utf8')).toContain(
      '- `room`: text: where it stands',
    )
    const { device_details_get: details } = JSON.parse(
      await readFile(join(folder, 'events/answers.json'), 'utf8'),
    )
    expect(details).toContain('<pin')
    expect(details).not.toContain('<room')
  },
  MOST_MS,
)

async function writeLines(path: string, lines: readonly (readonly [after: string, line: string])[]) {
  const text = (await readFile(path, 'utf8')).split('\n')
  for (const [after, line] of lines) {
    const place = text.findIndex((one) => one.startsWith(after))
    expect(place, `${path} has a line ${after}`).toBeGreaterThan(-1)
    text.splice(place + 1, 0, line)
  }
  await writeFile(path, text.join('\n'))
}

/** The files of the repository as the copy has them. */
async function filesOfCopy(): Promise<ReadonlyMap<string, string>> {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0')
  const read = async (name: string) =>
    [name, await readFile(join(folder, name), 'base64').catch(() => '')] as const
  return new Map(await Promise.all(names.filter(Boolean).map(read)))
}
