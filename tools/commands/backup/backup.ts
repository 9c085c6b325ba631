import type { Command } from '@commander-js/extra-typings'
import { countArgument, pathArgument } from '../../command-line/arguments.ts'
import { printLine } from '../../machine/terminal.ts'
import { backUp, databaseToBackUp } from './backup-tool.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It copies the database of an npm start, running or not, as it is at one moment: traffic is not interrupted. Archived calls are copied \
into a folder beside it. The copy holds every secret of the installation. npx tollgate restore brings it back. AWS keeps backups of its own \
(docs/deployment.md).',
    )
    .argument(
      '<path>',
      'the file to write, or an existing folder, in which the file is named by dataset and time',
      pathArgument,
    )
    .option(
      '--data <FOLDER>',
      'the dataset of the installation (default: the one that was started first, otherwise the demo)',
      pathArgument,
    )
    .option(
      '--keep <NUMBER>',
      'in a folder: the number of newest backups of this dataset that stay; older ones are removed',
      countArgument,
    )
    .action(async (path, { data, keep }) => {
      const lines = await backUp(databaseToBackUp(data), { path, keep, now: new Date() })
      for (const line of lines) printLine(line)
    })
