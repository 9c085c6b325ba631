import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import { listFormat, printListing, printShown, shownFormat } from '../../command-line/listing.ts'
import { findAccountNamed } from '../../command-line/named.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'
import { RECORD_NOUNS } from '../../command-line/record-nouns.ts'
import { editNoun } from '../../command-line/record-tool.ts'
import { agreesTo, askSecret, CommandError, secretFromInput, UsageError } from '../../machine/terminal.ts'
import { blockAccount, listAccountRows, setPassword, showAccount, unblockAccount } from './account-tool.ts'

const DESCRIPTION =
  'An account is named by its username or its id. Changes take effect within a second and are logged: npx tollgate settings log.'

export function declare(command: Command): void {
  const account = withTableOptions(command).description(DESCRIPTION).addOption(ACTOR)
  declareVerbs(account as unknown as PlainCommand, 'account', ['add', 'edit'])
  account
    .command('list')
    .description('list every account')
    .option('--search <TEXT>', 'only accounts with this id, or with this text in their username or name')
    .addOption(listFormat())
    .action(({ search, format }) =>
      printListing(account.opts(), format, (store) => listAccountRows(store, search)),
    )
  account
    .command('show <name>')
    .description('show an account')
    .addOption(shownFormat())
    .action((name, { format }) =>
      printShown(account.opts(), format, (store) => showAccount(store, name, new Date())),
    )
  account
    .command('block <name>')
    .description('refuse an account from now on; you are asked about an account with customers')
    .option('--yes', 'block without asking; required without a terminal')
    .action((name, { yes = false }) =>
      printChange(account.opts(), (store, act) =>
        blockAccount(store, name, act, async (question) => yes || agreesTo(question)),
      ),
    )
  account
    .command('unblock <name>')
    .description('admit a blocked account again')
    .action((name) => printChange(account.opts(), (store, act) => unblockAccount(store, name, act)))
  declareCredentials(account)
}

function declareCredentials(account: ReturnType<typeof withTableOptions>): void {
  account
    .command('rename <name> <new-name>')
    .description('give an account another username')
    .action((word, username) =>
      printChange(account.opts(), async (store, act) => {
        const renamed = { word, values: { username } }
        return (await editNoun(store, RECORD_NOUNS.account, renamed, act)).lines
      }),
    )
  account
    .command('set-password <name>')
    .description('replace the password of an account')
    .option('--password-stdin', 'read the password from standard input (default: ask at the terminal)')
    .action((name, { passwordStdin }) =>
      printChange(account.opts(), async (store, act) => {
        await findAccountNamed(store, name)
        const password = await (passwordStdin ? secretFromInput() : askTwice())
        return setPassword(store, name, password, act)
      }),
    )
}

async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('Not a terminal: pass --password-stdin')
  const password = await askSecret('New password: ')
  if ((await askSecret('Repeat the password: ')) !== password)
    throw new CommandError('The two passwords differ: run this again')
  return password
}
