import { parseArgs } from 'node:util'
import { complain, overTable } from '#lib/local/over-table.ts'
import { describeTariffs, diffTariff, rollBackTariff } from '#lib/local/tariff-tool.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Shows tariffs, what the last import changed, and brings the version before it back.

  npm run tariff -- list | diff ID | rollback ID  [--endpoint URL] [--table NAME]

  list             every tariff with its versions
  diff ID          the rates that the active version of a tariff added, removed and changed
  rollback ID      makes the version before the active one; once more undoes that
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Exit code: 0 done, 2 not possible, not reachable or not understood.
`

const DONE = 0
const FAILED = 2

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      endpoint: { type: 'string' },
      table: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  return { ...values, words: positionals }
}

interface Command {
  /** How many words it consists of, its own name included. */
  readonly words: number
  readonly run: (store: Store, id: string) => AsyncIterable<string> | Promise<Iterable<string>>
}

const COMMANDS: Readonly<Record<string, Command>> = {
  list: { words: 1, run: describeTariffs },
  diff: { words: 2, run: diffTariff },
  rollback: { words: 2, run: rollBackTariff },
}

async function main(): Promise<number> {
  const { words, help, ...wishes } = readArguments()
  if (help) return explain('stdout')
  const command = COMMANDS[words[0] ?? '']
  if (command?.words !== words.length) return explain('stderr')
  return overTable(wishes, async (store) => {
    for await (const line of await command.run(store, words[1] ?? '')) process.stdout.write(`${line}\n`)
    return DONE
  })
}

function explain(output: 'stdout' | 'stderr'): number {
  process[output].write(HELP)
  return output === 'stdout' ? DONE : FAILED
}

process.exitCode = await main().catch((error: unknown) => complain(error))
