import { text } from 'node:stream/consumers'
import {
  changeSetting,
  changeTimezone,
  getSetting,
  listSettings,
  logOfSettings,
} from '#lib/local/commands/settings-tool.ts'
import { runTableCommand, type TableCommand } from '#lib/local/commands/table-command.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Shows and changes the settings of an installation.

  npm run settings -- list | get NAME | set NAME VALUE | timezone ZONE | log  [--as USERNAME] [--endpoint URL] [--table NAME]

  --as USERNAME    who changes it: an admin, or an account with the permission api_settings
                   (not needed for \`set\` while the installation has no account)
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

\`timezone\` sets Timezone once calls are stored, and files and counts them anew under the days of that zone; interrupted,
it is simply run again. A VALUE of - is read from standard input, so that a key does not stay in the shell's history.
Exit code: 0 done, 1 refused, 2 not reachable or not understood.
`

const COMMANDS: Readonly<Record<string, TableCommand>> = {
  list: { words: 1, run: listSettings },
  log: { words: 1, run: logOfSettings },
  get: { words: 2, run: async (store, [, name = '']) => [await getSetting(store, name)] },
  set: { words: 3, run: set },
  timezone: { words: 2, run: timezone },
}

async function set(store: Store, [, name = '', value = '']: readonly string[], as?: string) {
  const given = value === '-' ? (await text(process.stdin)).trim() : value
  const warning = await changeSetting(store, { name, value: given, as }, new Date())
  return [`${name} = ${await getSetting(store, name)}`, ...(warning ? [`warning: ${warning}`] : [])]
}

async function timezone(store: Store, [, zone = '']: readonly string[], as?: string) {
  const moved = await changeTimezone(store, { zone, as }, new Date())
  return [`Timezone = ${zone}`, `${moved} calls are filed under another day now`]
}

await runTableCommand({ help: HELP, commands: COMMANDS, asSomebody: true })
