import { misunderstood, runCommand } from '#lib/local/commands/command.ts'
import { addIntakeNamed, describeIntakes, revokeIntake } from '#lib/local/commands/switches/intake-tool.ts'
import { SWITCH_OPTIONS, type SwitchWish } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Says which switches may bring records over HTTP (POST /intake/<format>).

  npm run intake -- add NAME [--zone ZONE] [--master SWITCHES] [--columns NAMES] [--map FIELD=COLUMN ...]
  npm run intake -- list | revoke NAME     [--endpoint URL] [--table NAME]

  add NAME         a switch, and the secret of its own that is printed once: both for HTTP basic authentication
  list             a line for each, without its secret
  revoke NAME      turns it away from now on; what it has brought stays
  --zone, --master, --columns, --map
                   how the switch writes, as in npm run ingest
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

The name is that of the switch: a part of what tells its calls from those of another one. docs/switches.md shows what
belongs into the configuration of each switch.
Exit code: 0 done, 1 refused, 2 not reachable or not understood.
`

type Lines = Promise<string | string[]>

const COMMANDS: Readonly<
  Record<string, { words: number; run(store: Store, name: string, wish: SwitchWish): Lines }>
> = {
  add: { words: 2, run: (store, name, wish) => addIntakeNamed(store, name, { wish, now: new Date() }) },
  list: { words: 1, run: describeIntakes },
  revoke: { words: 2, run: revokeIntake },
}

await runCommand({
  help: HELP,
  options: { ...TABLE_OPTIONS, ...SWITCH_OPTIONS },
  words: [1, 2],
  run: async ({ endpoint, table, ...wish }, words) => {
    const [action = '', name = ''] = words
    const command = COMMANDS[action]
    if (command?.words !== words.length) return misunderstood(HELP)
    return overTable({ endpoint, table }, async (store) => {
      for (const line of [await command.run(store, name, wish)].flat()) process.stdout.write(`${line}\n`)
      return 0
    })
  },
})
