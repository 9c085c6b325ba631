import {
  type Act,
  accountNamed,
  blockAccount,
  setPassword,
  showAccount,
  unblockAccount,
} from '#lib/local/commands/account-tool.ts'
import { misunderstood, runCommand } from '#lib/local/commands/command.ts'
import { overTable, TABLE_OPTIONS } from '#lib/local/commands/table-command.ts'
import { Failure } from '#lib/local/failure.ts'
import { askSecret, secretFromInput } from '#lib/local/terminal/secret.ts'
import type { Store } from '#lib/store/store.ts'

const HELP = `Blocks an account, lets it in again, gives it a password, shows it. What changes is logged.

  npm run account -- show | block | unblock NAME   [--as USERNAME] [--endpoint URL] [--table NAME]
  npm run account -- set-password NAME [--password-stdin]

  --password-stdin   the password comes on standard input; without it you are asked
  --as USERNAME      who does it: an admin, or an account with the permission api_settings; else the log names the
                     user of this machine
  --endpoint URL     a DynamoDB that is not AWS's own (or DYNAMODB_ENDPOINT)
  --table NAME       the table (or TABLE_NAME)

\`npm run settings -- log\` shows the log. All of it takes effect with the next request.
Exit code: 0 done, 1 refused, 2 not reachable or not understood.
`

interface Given {
  readonly name: string
  readonly fromInput: boolean
  readonly act: Act
}

const VERBS: Readonly<Record<string, (store: Store, given: Given) => Promise<string[]>>> = {
  show: (store, { name }) => showAccount(store, name),
  block: (store, { name, act }) => blockAccount(store, name, act),
  unblock: (store, { name, act }) => unblockAccount(store, name, act),
  'set-password': async (store, { name, fromInput, act }) => {
    await accountNamed(store, name)
    const password = await (fromInput ? secretFromInput() : askTwice())
    return setPassword(store, { username: name, password }, act)
  },
}

async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY) throw new Failure('Nobody is there to be asked: give --password-stdin')
  const password = await askSecret('New password: ')
  if ((await askSecret('Once more: ')) !== password) throw new Failure('These are two different passwords')
  return password
}

await runCommand({
  help: HELP,
  options: {
    ...TABLE_OPTIONS,
    as: { type: 'string' },
    'password-stdin': { type: 'boolean', default: false },
  },
  words: [2, 2],
  run: (values, [verb = '', name = '']) => {
    const run = VERBS[verb]
    if (!run) return Promise.resolve(misunderstood(HELP))
    const given = { name, fromInput: values['password-stdin'], act: { as: values.as, now: new Date() } }
    return overTable(values, async (store) => {
      for (const line of await run(store, given)) process.stdout.write(`${line}\n`)
      return 0
    })
  },
})
