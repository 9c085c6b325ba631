import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { countOf } from '#lib/base/text.ts'
import { answersOfLines, type FixtureQuestions, type FixtureRequest } from '#test/releases/answers.ts'
import {
  fixtureFolder,
  fixtureVersions,
  readFixture,
  writeAnswers,
  writeFixture,
} from '#test/releases/fixture.ts'
import { itemIn } from '#test/releases/fixture-table.ts'
import { writeGivenDocuments } from '#test/releases/given-documents.ts'
import {
  INTAKE_SECRET,
  kamailioEvents,
  linesOfRelease,
  switchDocument,
} from '#test/releases/release-table.ts'
import { RELEASE_TIME } from '#test/releases/release-time.ts'
import { shapeOf, writeShape } from '#test/releases/stored-shape.ts'
import { presentTemplate, writeKept } from '#test/template/upgrade.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { exampleOf } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'
import { CommandError, printLine } from '#tools/machine/terminal.ts'
import packageJson from '../../package.json' with { type: 'json' }

export const declare = (command: Command) =>
  command
    .description(
      'It stores items of every kind as the version in package.json writes them, asks all methods, and writes the table and the answers \
into data/releases/, the files of its documents into data/given-documents/, and what CloudFormation compares of the template into data/templates/. A later version has to read that table, to answer the same, and to update that template.',
    )
    .option('--replace', 'replace the fixture of this version: only until it is released')
    .option('--answers', 'replace the answers of all versions instead, after a change of the API')
    .option(
      '--format',
      'note what the items of the present format are made of instead, after a change without a migration',
    )
    .action(async ({ replace = false, answers = false, format = false }) => {
      if (answers) await answerAgain()
      else if (format) await writeShape(shapeOf((await linesOfRelease()).map(itemIn)))
      else await writeNewFixture(packageJson.version, replace)
    })

async function writeNewFixture(version: string, replace: boolean): Promise<void> {
  if (version.endsWith('-dev'))
    throw new CommandError(
      `${version} is not a release: run npm version --no-git-tag-version ${version.replace('-dev', '')} first`,
    )
  const folder = fixtureFolder(version)
  if (existsSync(root + folder) && !replace)
    throw new CommandError(
      `${folder} exists: a released table never changes. Set the next version in package.json, or pass --replace if ${version} is not released yet`,
    )
  const files = await mkdtemp(join(tmpdir(), 'release-'))
  const lines = await linesOfRelease(files)
  await writeGivenDocuments(version, { lines, files })
  await writeFixture(version, { lines, answers: await answersOfLines(lines, await questionsOfRelease()) })
  await writeKept(version, await presentTemplate())
  printLine(`Wrote ${folder}: ${countOf(lines.length, 'item')}`)
}

async function answerAgain(): Promise<void> {
  for (const version of fixtureVersions()) {
    const { lines, answers } = readFixture(version)
    await writeAnswers(version, await answersOfLines(lines, answers))
    printLine(`Wrote the answers of ${fixtureFolder(version)}`)
  }
}

/** Requests of other callers than those of the examples. */
const FURTHER_READS: readonly FixtureRequest[] = [
  { method: 'device_details_get', params: { u: 'admin', device_id: '10' } },
  { method: 'tariff_rates_get', params: { u: 'admin', tariff_id: '2' } },
  { method: 'active_calls_get', params: { u: 'northwind' } },
  { method: 'quickstats_get', params: { u: 'carol' } },
  { method: 'user_calls_get', params: { u: 'admin', s_user: 'all' } },
  { method: 'credit_notes_get', params: { u: 'admin' } },
  { method: 'payments_get', params: { u: 'admin', s_from: '0' } },
  { method: 'subscriptions_get', params: { u: 'admin' } },
  { method: 'invoices_get', params: { u: 'admin', from: '0' } },
]

/** All methods' examples, and a switch's: the ends of pending calls, and a mediated document. */
async function questionsOfRelease(): Promise<FixtureQuestions> {
  const methods = (await loadFunctionFiles()).map(({ method }) => method)
  const examples = (access: 'read' | 'write') =>
    methods
      .filter((method) => method.access === access)
      .map(({ name }) => ({ method: name, params: exampleOf(name) }))
  const endpoint = { intake: 'sip1', secret: INTAKE_SECRET }
  const asked = (request: FixtureRequest) => ({ request })
  return {
    now: RELEASE_TIME.toISOString(),
    reads: [...examples('read'), ...FURTHER_READS].map(asked),
    changes: [
      ...examples('write'),
      { ...endpoint, format: 'kamailio-json', cdrs: await kamailioEvents('BYE') },
      { ...endpoint, format: 'kamailio-json', cdrs: await switchDocument('kamailio.ndjson') },
    ].map(asked),
  }
}
