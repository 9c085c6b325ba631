import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from '@commander-js/extra-typings'
import { pathArgument } from '../../command-line/arguments.ts'
import { dataFilesOf, demoDataset } from '../../machine/data-folder.ts'
import { shortPath } from '../../machine/location.ts'
import { agreesTo, CommandError, printLine } from '../../machine/terminal.ts'
import { restoreBackup } from './restore-tool.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It replaces the database of an installation that is stopped, and the folder of its archived calls. What was there is kept beside it, \
under a name that ends in the time of the restore. The dataset needs no files: a new folder becomes an installation.',
    )
    .argument('<file>', 'a file of npx tollgate backup', pathArgument)
    .option('--data <FOLDER>', 'the dataset whose data is replaced (default: data/demo)', pathArgument)
    .option('--yes', 'replace without asking; required without a terminal')
    .action(async (file, { data, yes = false }) => {
      requireFile(file)
      const dataset = data === undefined ? demoDataset : resolve(data)
      const question = `Replace the data of ${shortPath(dataset)} by ${shortPath(file)}?`
      if (!yes && !(await agreesTo(question)))
        throw new CommandError('Nothing was replaced: pass --yes to replace it')
      await mkdir(dataset, { recursive: true })
      for (const line of await restoreBackup(resolve(file), dataFilesOf(dataset), new Date())) printLine(line)
      printLine(`Start it: npm start -- --data ${shortPath(dataset)}`)
    })

function requireFile(file: string): void {
  if (!existsSync(file)) throw new CommandError(`There is no file ${file}`)
}
