import { runTableCommand, type TableCommand } from '#lib/local/commands/table-command.ts'
import {
  describeTariffs,
  describeVersions,
  diffTariff,
  logOfTariff,
  rollBackTariff,
} from '#lib/local/commands/tariff-tool.ts'

const HELP = `Shows tariffs, what the last import changed, and brings versions before it back.

  npm run tariff -- list | versions ID | diff ID | log ID | rollback ID [VERSION]
                   [--as USERNAME] [--endpoint URL] [--table NAME]

  list             every tariff, with the version that counts and the one before
  versions ID      every version of a tariff that is kept: when it counted, and how many rates it has
  diff ID          the rates that the active version of a tariff added, removed and changed
  log ID           who switched to which version, and when
  rollback ID [VERSION]   makes a version count; without one that before the active one, and once more undoes that
  --as USERNAME    who does it: an admin, or an account with the permission api_settings; else the log names the
                   user of this machine
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

The last ten versions are kept, and those that counted within the days of the setting Tariff_Versions_Days.
Exit code: 0 done, 1 not possible, 2 not reachable or not understood.
`

const COMMANDS: Readonly<Record<string, TableCommand>> = {
  list: { words: 1, run: describeTariffs },
  versions: { words: 2, run: (store, [, id = '']) => describeVersions(store, id) },
  diff: { words: 2, run: (store, [, id = '']) => diffTariff(store, id) },
  log: { words: 2, run: (store, [, id = '']) => logOfTariff(store, id) },
  rollback: {
    words: 2,
    most: 3,
    run: (store, [, tariff = '', version], as) =>
      rollBackTariff(store, { tariff, version }, { as, now: new Date() }),
  },
}

await runTableCommand({ help: HELP, commands: COMMANDS, asSomebody: true })
