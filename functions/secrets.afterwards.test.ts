import { expect, test } from 'vitest'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { readEvidence } from '#lib/testing/evidence.ts'
import { readLogEvidence } from '#lib/testing/log-evidence.ts'
import { isSearchable, secretSearch } from '#lib/testing/secret-search.ts'

/** Runs after all other tests, over what they have logged and the secrets that they have used. */
const { lines, secrets } = readLogEvidence()
const files = await loadFunctionFiles()

/** What methods say to everybody, and log. */
const said = JSON.stringify(files.map(({ method }) => method))

/** Random values are at times words that everybody uses: those of refusals, or names of the language. */
const isWord = (secret: string): boolean => said.includes(secret) || secret in Object

const searchable = [...secrets].filter((secret) => isSearchable(secret) && !isWord(secret))

/** What a run of all methods' own tests logs and uses at least: a search that gets less searches nothing. */
const AT_LEAST = { lines: 1000, secrets: 1000 }

const ranOf = new Set(readEvidence().map(({ test: by }) => by))
const didAllRun = files.every(({ path }) => ranOf.has(`${path}.test.ts`))

test('no line of a log has a secret in it', () => {
  const search = secretSearch(searchable)
  const found = [...lines].flatMap((line) => search(line).map((secret) => `${secret} in ${line}`))

  expect(found).toEqual([])
})

test('enough lines were searched for enough secrets', ({ skip }) => {
  if (!didAllRun) return skip('not all methods were tested')
  process.stdout.write(`secrets: ${lines.size} different lines searched for ${searchable.length} secrets\n`)

  expect(lines.size).toBeGreaterThan(AT_LEAST.lines)
  expect(searchable.length).toBeGreaterThan(AT_LEAST.secrets)
})
