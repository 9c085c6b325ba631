import { readFile, writeFile } from 'node:fs/promises'
import type { Command } from '@commander-js/extra-typings'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from '../machine/program.ts'
import { CommandError } from '../machine/terminal.ts'

export const declare = (command: Command) =>
  command
    .description(
      'npm version runs it. It writes the version of package.json into the source and, of a release, above what CHANGELOG.md has under Unreleased.',
    )
    .action(async () => {
      const { version } = packageJson
      await change('lib/table/table-format.ts', (text) => text.replace(/(RELEASE = ')[^']+/, `$1${version}`))
      if (!version.endsWith('-dev'))
        await change('CHANGELOG.md', (text) =>
          withHeading(text, version, new Date().toISOString().slice(0, 10)),
        )
    })

async function change(path: string, edit: (text: string) => string): Promise<void> {
  await writeFile(root + path, edit(await readFile(root + path, 'utf8')))
}

/** The changelog with a heading of the release after the one for the next changes. */
export function withHeading(changelog: string, version: string, day: string): string {
  const [, unreleased] = /^## \[Unreleased\]\n(.*?)^## \[/ms.exec(changelog) ?? []
  if (!unreleased?.trim())
    throw new CommandError('CHANGELOG.md has nothing under Unreleased: there is nothing to release')
  return changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${day}\n`)
}
