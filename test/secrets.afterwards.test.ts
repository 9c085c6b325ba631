import { expect, test } from 'vitest'
import { readEvidence } from '#test/evidence/evidence.ts'
import { readLogEvidence } from '#test/evidence/log-evidence.ts'
import { isSearchable, secretSearch } from '#test/evidence/secret-search.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'

/** These tests run after all others and check their logs for the secrets that they used. */
const { lines, secrets } = readLogEvidence()
const files = await loadFunctionFiles()

/** The texts that methods return to every caller and log. */
const said = JSON.stringify(files.map(({ method }) => method))

/** A random value may equal a common word, such as a word of a refusal. */
const isWord = (secret: string): boolean => said.includes(secret) || secret in Object

const searchable = [...secrets].filter((secret) => isSearchable(secret) && !isWord(secret))

/** The least that the tests of all methods log and use. With less, the search would prove nothing. */
const AT_LEAST = { lines: 1000, secrets: 1000 }

const ranOf = new Set(readEvidence().map(({ test: by }) => by))
const didAllRun = files.every(({ path }) => ranOf.has(`${path}.test.ts`))

test('no line of a log contains a secret', () => {
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
