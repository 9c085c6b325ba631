import { type IntakeWorld, openIntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { misunderstood, runCommand } from '#lib/local/commands/command.ts'
import {
  describeSuspense,
  dropSuspended,
  retrySuspense,
  type SuspenseFilter,
  showSuspended,
} from '#lib/local/commands/switches/suspense-tool.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'

const HELP = `Shows the call records that could not be stored, tries them again, or gives one up.

  npm run suspense -- list | retry  [--reason TEXT] [--source NAME] [--from DAY] [--till DAY]
  npm run suspense -- show ID | drop ID            [--endpoint URL] [--table NAME]

  list             a line for each record, oldest first, with its id and its reason
  retry            takes them in once more, as after an import of accounts or tariffs
  show ID          the record as the switch wrote it
  drop ID          gives it up for good
  --reason TEXT    only those with this reason, such as "not rated"
  --source NAME    only those of this switch
  --from, --till   only those that came first on these days (YYYY-MM-DD)
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Exit code: 0 done, 1 refused, 2 not reachable or not understood.
`

type Lines = AsyncIterable<string> | Promise<string | string[]>

const COMMANDS: Readonly<
  Record<string, { words: number; run(world: IntakeWorld, filter: SuspenseFilter, id: string): Lines }>
> = {
  list: { words: 1, run: describeSuspense },
  retry: { words: 1, run: retrySuspense },
  show: { words: 2, run: (world, _, id) => showSuspended(world, id) },
  drop: { words: 2, run: (world, _, id) => dropSuspended(world, id) },
}

async function* printed(lines: Lines): AsyncGenerator<string> {
  if (Symbol.asyncIterator in lines) yield* lines
  else yield* [await lines].flat()
}

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    reason: { type: 'string' },
    source: { type: 'string' },
    from: { type: 'string' },
    till: { type: 'string' },
  },
  words: [1, 2],
  run: async ({ endpoint, table, ...filter }, [name = '', id = '']) => {
    const command = COMMANDS[name]
    if (command?.words !== (id === '' ? 1 : 2)) return misunderstood(HELP)
    return overTable({ endpoint, table }, async (store) => {
      const world = await openIntakeWorld(store, new Date())
      for await (const line of printed(command.run(world, filter, id))) process.stdout.write(`${line}\n`)
      return 0
    })
  },
})
