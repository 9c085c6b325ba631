import { readdirSync } from 'node:fs'
import { root } from '#tools/machine/location.ts'

/** The folders whose code is mutated, each with the tests that have to notice. A folder stands before the one that holds it. */
export const MUTATED: Readonly<Record<string, string>> = {
  'lib/domain': 'lib/domain/**/*.test.ts',
  'lib/api': 'lib/api/*.test.ts',
  'lib/xml': 'lib/xml/*.test.ts',
  'lib/rating': 'lib/rating/*.test.ts functions/ingest/rating.test.ts',
  'lib/mediation/formats': 'lib/mediation/formats/*.test.ts',
  'lib/mediation': 'lib/mediation/*.test.ts',
}

/** Tells whether a source belongs to this folder, and to none inside it. */
export const isOf = (folder: string, path: string): boolean =>
  Object.keys(MUTATED).find((mutated) => path.startsWith(`${mutated}/`)) === folder

/** The paths of a folder's sources. Those that hold only types have no mutants. */
export const sourcesIn = (folder: string): string[] =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => isOf(folder, path) && path.endsWith('.ts') && !/\.(test|d)\.ts$/.test(path))
