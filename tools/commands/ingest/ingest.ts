import { Argument, type Command } from '@commander-js/extra-typings'
import { FORMAT_NAMES } from '#lib/cdrs/formats/formats.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { pathArgument } from '../../command-line/arguments.ts'
import { changeTable, withTableOptions } from '../../command-line/over-table.ts'
import { printLines } from '../../machine/terminal.ts'
import { ingestFiles } from './ingest-tool.ts'
import { withSwitchOptions } from './switch-options.ts'

export const declare = (command: Command) =>
  withSwitchOptions(withTableOptions(command))
    .description(
      'It rates each call and stores it for its customer, once. docs/switches.md describes each format. A CDR that cannot be stored is \
suspended with its reason. Mediating the same file again changes nothing. Exit code 1: every CDR was suspended.',
    )
    .addArgument(new Argument('<format>', 'the format of the CDR documents').choices(FORMAT_NAMES))
    .argument('<files...>', 'the CDR documents; - for standard input', (path, earlier: string[] = []) => [
      ...earlier,
      pathArgument(path),
    ])
    .requiredOption('--source <NAME>', 'the name of the switch: part of the identity of its calls')
    .option('--complete', 'also mediate a last line without a line end in a file that has just been written')
    .option('--force', 'also mediate a file of which the first 20 CDRs cannot be read')
    .option('--yes', 'mediate a new source without unique ids although another switch has none either')
    .action((format, paths, { endpoint, table, data, ...options }) =>
      changeTable({ endpoint, table, data }, async (store) => {
        const lines = ingestFiles(() => openMediation(store, new Date()), { format, ...options }, paths)
        return (await printLines(lines)) ? NOTHING_STORED : 0
      }),
    )

const NOTHING_STORED = 1
