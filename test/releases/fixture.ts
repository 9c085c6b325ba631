import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { root } from '#tools/machine/program.ts'
import type { FixtureAnswers } from './answers.ts'

/** A table as a release writes it, and the answers that belong to it. */
export interface ReleaseFixture {
  /** The items, each in a line of its own. */
  readonly lines: readonly string[]
  readonly answers: FixtureAnswers
}

const FOLDER = 'data/releases'

const TABLE = 'table.ndjson'
const ANSWERS = 'answers.json'

/** The versions that have a fixture. */
export const fixtureVersions = (): string[] => readdirSync(root + FOLDER).sort()

export const fixtureFolder = (version: string): string => `${FOLDER}/${version}`

export function readFixture(version: string): ReleaseFixture {
  const read = (name: string) => readFileSync(`${root}${fixtureFolder(version)}/${name}`, 'utf8')
  return { lines: read(TABLE).trimEnd().split('\n'), answers: JSON.parse(read(ANSWERS)) }
}

export async function writeFixture(version: string, { lines, answers }: ReleaseFixture): Promise<void> {
  const folder = root + fixtureFolder(version)
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/${TABLE}`, `${lines.join('\n')}\n`)
  await writeAnswers(version, answers)
}

export const writeAnswers = (version: string, answers: FixtureAnswers): Promise<void> =>
  writeFile(`${root}${fixtureFolder(version)}/${ANSWERS}`, `${JSON.stringify(answers, null, 1)}\n`)
