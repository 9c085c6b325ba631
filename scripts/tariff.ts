import { runTableCommand, type TableCommand } from '#lib/local/commands/table-command.ts'
import { describeTariffs, diffTariff, rollBackTariff } from '#lib/local/commands/tariff-tool.ts'

const HELP = `Shows tariffs, what the last import changed, and brings the version before it back.

  npm run tariff -- list | diff ID | rollback ID  [--endpoint URL] [--table NAME]

  list             every tariff with its versions
  diff ID          the rates that the active version of a tariff added, removed and changed
  rollback ID      makes the version before the active one; once more undoes that
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

Exit code: 0 done, 1 not possible, 2 not reachable or not understood.
`

const COMMANDS: Readonly<Record<string, TableCommand>> = {
  list: { words: 1, run: describeTariffs },
  diff: { words: 2, run: (store, [, id = '']) => diffTariff(store, id) },
  rollback: { words: 2, run: (store, [, id = '']) => rollBackTariff(store, id) },
}

await runTableCommand({ help: HELP, commands: COMMANDS })
