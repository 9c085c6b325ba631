import { type IntakeWorld, openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { misunderstood, runCommand, type Values } from '#lib/local/commands/command.ts'
import {
  describeSuspense,
  dropAll,
  dropSuspended,
  retrySuspense,
  showSuspended,
} from '#lib/local/commands/switches/suspense-tool.ts'
import { SWITCH_OPTIONS } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { chooser } from '#lib/local/terminal/choice.ts'

const HELP = `Shows the call records that could not be stored, tries them again, or gives them up.

  npm run suspense -- list | retry | drop  [--reason TEXT] [--source NAME] [--account NAME] [--from DAY] [--till DAY]
  npm run suspense -- show ID | drop ID    [--endpoint URL] [--table NAME]

  list             a line for each record, oldest first, with its id and its reason
  retry            takes them in once more, as after an import of accounts or tariffs
  show ID          the record as the switch wrote it
  drop [ID]        gives it up for good, or all that are said by these options:
  --reason TEXT    only those with this reason, such as "not rated"
  --source NAME    only those of this switch
  --account NAME   only those of this account, or that name somebody unknown so
  --from, --till   only those that came first on these days (YYYY-MM-DD)
  --zone, --master, --columns, --map
                   retry: how the switch writes, as in npm run ingest, where they came with something else
  --yes            drop: does it without asking; without a terminal nothing else does it
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Exit code: 0 done, 1 refused, 2 not reachable or not understood.
`

const OPTIONS = {
  ...TABLE_OPTIONS,
  ...SWITCH_OPTIONS,
  reason: { type: 'string' },
  source: { type: 'string' },
  account: { type: 'string' },
  from: { type: 'string' },
  till: { type: 'string' },
  yes: { type: 'boolean', default: false },
} as const

type Wishes = Omit<Values<typeof OPTIONS>, 'endpoint' | 'table'>

type Lines = AsyncIterable<string> | Promise<string | string[]>

/** By name, and whether the id of a record follows it. */
const COMMANDS: Readonly<Record<string, (world: IntakeWorld, wishes: Wishes, id: string) => Lines>> = {
  list: (world, wishes) => describeSuspense(world, wishes),
  retry: (world, wishes) => retrySuspense(world, wishes, wishes),
  drop: (world, { yes, ...filter }) => dropAll(world, filter, async (count) => yes || agreesTo(count)),
  'show ID': (world, _, id) => showSuspended(world, id),
  'drop ID': (world, _, id) => dropSuspended(world, id),
}

/** Asks whoever sits at the terminal. */
const agreesTo = async (count: number): Promise<boolean> =>
  (await chooser()?.(`Give up ${count} records for good?`, ['yes', 'no'])) === 'yes'

/** Everything is dropped only by whoever says so in some way. */
const saysWhich = ({ reason, source, account, from, till }: Wishes): boolean =>
  [reason, source, account, from, till].some((wish) => wish !== undefined)

async function* printed(lines: Lines): AsyncGenerator<string> {
  if (Symbol.asyncIterator in lines) yield* lines
  else yield* [await lines].flat()
}

await runCommand({
  help: HELP,
  options: OPTIONS,
  words: [1, 2],
  run: async ({ endpoint, table, ...wishes }, [name = '', id = '']) => {
    const command = COMMANDS[id === '' ? name : `${name} ID`]
    const isUnderstood = command && (id !== '' || name !== 'drop' || saysWhich(wishes))
    if (!isUnderstood) return misunderstood(HELP)
    return overTable({ endpoint, table }, async (store) => {
      const world = await openIntakeWorld(store, new Date())
      for await (const line of printed(command(world, wishes, id))) process.stdout.write(`${line}\n`)
      return 0
    })
  },
})
