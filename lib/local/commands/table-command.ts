import { chooseLocation, type Wishes } from '#lib/local/location.ts'
import type { Store } from '#lib/store/store.ts'
import type { TableLocation } from '#lib/store/table-location.ts'
import { openTable } from './aws-account.ts'
import { misunderstood, runCommand } from './command.ts'
import { complain } from './complaint.ts'

/** The options by which a command says which table it works on. */
export const TABLE_OPTIONS = { endpoint: { type: 'string' }, table: { type: 'string' } } as const

/** Runs a command's work on the table that was asked for; answers the exit code. Errors become one sentence. */
export async function overTable(
  wishes: Wishes,
  work: (store: Store, location: TableLocation) => Promise<number>,
): Promise<number> {
  const location = chooseLocation(wishes)
  try {
    return await work(openTable(location), location)
  } catch (error) {
    return complain(error, location)
  }
}

type Lines = AsyncIterable<string> | Iterable<string>

/** One of the things that a script can do with the table. */
export interface TableCommand {
  /** How many words it consists of, its own name included. */
  readonly words: number
  /** How many it may consist of. */
  readonly most?: number
  /** Answers the lines to print. */
  readonly run: (store: Store, words: readonly string[], as?: string) => Lines | Promise<Lines>
}

export interface TableCommands {
  readonly help: string
  readonly commands: Readonly<Record<string, TableCommand>>
  /** Whether `--as USERNAME` says who does it. */
  readonly asSomebody?: true
}

const takes = ({ words: least, most = least }: TableCommand, words: readonly string[]): boolean =>
  least <= words.length && words.length <= most

/** Runs the command that the arguments of this process name first, on the table they name. */
export const runTableCommand = ({ help, commands, asSomebody }: TableCommands): Promise<never> =>
  runCommand({
    help,
    options: { ...TABLE_OPTIONS, as: { type: 'string' } },
    words: [1, Number.POSITIVE_INFINITY],
    run: async (values, words) => {
      const command = commands[words[0] ?? '']
      const isUnderstood = command && takes(command, words) && (asSomebody || values.as === undefined)
      if (!isUnderstood) return misunderstood(help)
      return overTable(values, async (store) => {
        for await (const line of await command.run(store, words, values.as)) process.stdout.write(`${line}\n`)
        return 0
      })
    },
  })
