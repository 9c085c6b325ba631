import { Argument, type Command, InvalidArgumentError } from '@commander-js/extra-typings'
import { followFile } from '#lib/local/commands/follow/follow-tool.ts'
import { printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { ingestFiles } from '#lib/local/commands/switches/ingest-tool.ts'
import { withSwitchOptions } from '#lib/local/commands/switches/switch-wish.ts'
import { FORMAT_NAMES } from '#lib/mediation/formats/cdr.ts'
import { openMediation } from '#lib/mediation/mediation.ts'

export const declare = (command: Command) =>
  withSwitchOptions(withTableOptions(command))
    .description(
      'Each call is rated and stored for its customer, once. docs/switches.md describes each format. A CDR that cannot be stored is \
suspended with its reason. The same file again changes nothing.',
    )
    .addArgument(new Argument('<format>', 'how the switch writes').choices(FORMAT_NAMES))
    .argument('<files...>', 'the CDR documents; - reads standard input')
    .requiredOption('--source <NAME>', 'the switch: part of the identity of its calls')
    .option(
      '--follow',
      'one file: also mediates lines that are added later, until Ctrl-C; resumes where it stopped',
    )
    .action((format, paths, { endpoint, table, follow, ...options }) => {
      const wish = { format, ...options }
      const path = follow && onlyOne(paths)
      return printFromTable({ endpoint, table }, async (store) =>
        path === undefined
          ? ingestFiles(await openMediation(store, new Date()), wish, paths)
          : followFile(store, { wish, path, signal: untilStopped() }),
      )
    })

function onlyOne([path = '', ...others]: readonly string[]): string {
  if (others.length === 0 && path !== '-') return path
  throw new InvalidArgumentError('--follow takes one file')
}

/** SIGINT and SIGTERM let the current part finish. */
function untilStopped(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
