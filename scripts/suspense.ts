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
import { type Mediation, openMediation } from '#lib/mediation/mediation.ts'

const HELP = `Shows the CDRs that could not be stored, retries them, or gives them up.

  npm run suspense -- list | retry | drop  [--reason TEXT] [--source NAME] [--account NAME] [--from DAY] [--till DAY]
  npm run suspense -- show ID | drop ID    [--endpoint URL] [--table NAME]

  list             a table, oldest first: id, age, switch, reason, call start, calling and called number
  retry            mediates them again, as an import of accounts or tariffs does
  show ID          the CDR as the switch wrote it
  drop [ID]        gives it up for good, or all that these options select:
  --reason TEXT    only those with this reason, such as unknown_rate
  --source NAME    only those of this switch
  --account NAME   only those of this account, or that name this unknown account or device
  --from, --till   only those that first came on these days (YYYY-MM-DD)
  --zone, --master, --columns, --map
                   retry: how the switch writes, as in npm run ingest, if they came with wrong options
  --yes            drop without asking; required without a terminal
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

/** By name, and whether the id of an entry follows it. */
const COMMANDS: Readonly<Record<string, (mediation: Mediation, wishes: Wishes, id: string) => Lines>> = {
  list: (mediation, wishes) => describeSuspense(mediation, wishes),
  retry: (mediation, wishes) => retrySuspense(mediation, wishes, wishes),
  drop: (mediation, { yes, ...filter }) =>
    dropAll(mediation, filter, async (count) => yes || agreesTo(count)),
  'show ID': (mediation, _, id) => showSuspended(mediation, id),
  'drop ID': (mediation, _, id) => dropSuspended(mediation, id),
}

/** Asks the operator at the terminal. */
const agreesTo = async (count: number): Promise<boolean> =>
  (await chooser()?.(`Give up ${count} CDRs for good?`, ['yes', 'no'])) === 'yes'

/** Dropping needs at least one option that selects. */
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
      const mediation = await openMediation(store, new Date())
      for await (const line of printed(command(mediation, wishes, id))) process.stdout.write(`${line}\n`)
      return 0
    })
  },
})
