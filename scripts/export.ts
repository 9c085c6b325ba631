import type { Command } from '@commander-js/extra-typings'
import { overTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { runExport } from '#lib/local/datasets/export-tool.ts'

export const declare = (command: Command) =>
  withTableOptions(command)
    .description(
      'It reads the whole table once, whatever the files: about one read unit for each 4 KB, and reports the number. Of a tariff it \
takes the version in force. Nothing is overwritten, and only you can read the files. If rows are written meanwhile, the \
files may hold some rows from before and some from after. Exit code 1: something could not be written as it is.',
    )
    .argument('<folder>', 'the new folder')
    .argument('[files...]', 'only these, such as users devices')
    .option('--with-secrets', 'also passwords, uniquehashes, secrets and PINs of devices, and the key')
    .action((folder, files, { withSecrets = false, ...wishes }) =>
      overTable(wishes, (store, location) =>
        runExport(store, location, {
          folder,
          files,
          withSecrets,
          say: (line) => process.stdout.write(`${line}\n`),
        }),
      ),
    )
