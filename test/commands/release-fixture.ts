import { existsSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import { answersOfLines } from '#test/releases/answers.ts'
import {
  fixtureFolder,
  fixtureVersions,
  readFixture,
  writeAnswers,
  writeFixture,
} from '#test/releases/fixture.ts'
import { questionsOfRelease } from '#test/releases/questions.ts'
import { linesOfRelease } from '#test/releases/release-table.ts'
import { root } from '#tools/machine/location.ts'
import { CommandError, countOf, printLine } from '#tools/machine/terminal.ts'
import packageJson from '../../package.json' with { type: 'json' }

export const declare = (command: Command) =>
  command
    .description(
      'It stores items of every kind as the version in package.json writes them, asks all methods, and writes the table and the answers \
into data/releases/. A later version has to read that table and to answer the same.',
    )
    .option('--replace', 'replace the fixture of this version: only until it is released')
    .option('--answers', 'replace the answers of all versions instead, after a change of the API')
    .action(({ replace = false, answers = false }) =>
      answers ? answerAgain() : writeNewFixture(packageJson.version, replace),
    )

async function writeNewFixture(version: string, replace: boolean): Promise<void> {
  const folder = fixtureFolder(version)
  if (existsSync(root + folder) && !replace)
    throw new CommandError(
      `${folder} exists: a released table never changes. Set the next version in package.json, or pass --replace if ${version} is not released yet`,
    )
  const lines = await linesOfRelease()
  await writeFixture(version, { lines, answers: await answersOfLines(lines, await questionsOfRelease()) })
  printLine(`Wrote ${folder}: ${countOf(lines.length, 'item')}`)
}

async function answerAgain(): Promise<void> {
  for (const version of fixtureVersions()) {
    const { lines, answers } = readFixture(version)
    await writeAnswers(version, await answersOfLines(lines, answers))
    printLine(`Wrote the answers of ${fixtureFolder(version)}`)
  }
}
