import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Store } from '#lib/table/store.ts'
import type { TableOptions } from '../machine/location.ts'
import { printLine } from '../machine/terminal.ts'
import {
  type Listing,
  type ListingFormat,
  linesOfShown,
  listFormat,
  printListing,
  printShown,
  type Shown,
} from './listing.ts'
import { changeByActs, type TerminalAct } from './over-table.ts'

/** The options of a command and of its noun: the table, `--format`, and `--as` of a change. */
interface UsualOptions extends TableOptions {
  readonly format: ListingFormat
  readonly as?: string | undefined
}

/** Commander gives an action the arguments, the options and, last, the command. */
const usualOptions = (given: readonly unknown[]): UsualOptions =>
  (given.at(-1) as Pick<Command, 'optsWithGlobals'>).optsWithGlobals() as unknown as UsualOptions

/** An action that prints a list of the table. */
export const listAction =
  <G extends unknown[]>(list: (store: Store, ...given: G) => Listing | Promise<Listing>) =>
  (...given: G): Promise<void> => {
    const { format, ...options } = usualOptions(given)
    return printListing(options, format, (store) => list(store, ...given))
  }

/** Declares a command without options of its own that prints a list of the table. */
export const listCommand = (
  noun: CommandUnknownOpts,
  usage: string,
  summary: string,
  list: (store: Store, ...words: string[]) => Listing | Promise<Listing>,
): CommandUnknownOpts =>
  noun
    .command(usage)
    .description(summary)
    .addOption(listFormat())
    .action(listAction(list as (store: Store, ...given: unknown[]) => Listing | Promise<Listing>))

/** An action that prints one thing of the table. */
export const showAction =
  <G extends unknown[]>(show: (store: Store, ...given: G) => Promise<Shown>) =>
  (...given: G): Promise<void> => {
    const { format, ...options } = usualOptions(given)
    return printShown(options, format, (store) => show(store, ...given))
  }

/** An action that carries out acts, and prints the lines that `change` returns. */
export const changeAction =
  <G extends unknown[]>(
    change: (store: Store, act: TerminalAct, ...given: G) => Promise<string | readonly string[] | Shown>,
  ) =>
  (...given: G): Promise<void> => {
    const { format, as, ...options } = usualOptions(given)
    return changeByActs(options, async (store) => {
      const done = await change(store, { as, now: new Date() }, ...given)
      const isShown = typeof done === 'object' && 'json' in done
      for (const line of isShown ? linesOfShown(done, format) : [done].flat()) printLine(line)
      return 0
    })
  }
