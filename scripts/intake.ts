import { misunderstood, runCommand } from '#lib/local/commands/command.ts'
import { addIntakeNamed, describeIntakes, revokeIntake } from '#lib/local/commands/switches/intake-tool.ts'
import { SWITCH_OPTIONS, type SwitchWish } from '#lib/local/commands/switches/switch-wish.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Adds, lists and revokes the switches that may send CDRs over HTTP (POST /intake/<format>).

  npm run intake -- add NAME [--zone ZONE] [--master SWITCHES] [--columns NAMES] [--map FIELD=COLUMN ...]
  npm run intake -- list | revoke NAME     [--endpoint URL] [--table NAME]

  add NAME         adds a switch, and prints its secret once: name and secret are for HTTP basic authentication
  list             a line for each switch, without its secret
  revoke NAME      refuses the switch from now on; its calls stay
  --zone, --master, --columns, --map
                   how the switch writes, as in npm run ingest
  --endpoint URL   a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME     the table (or TABLE_NAME)

The name is that of the switch, part of the identity of its calls. docs/switches.md shows the configuration of each
switch.
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
