import type { Command } from '@commander-js/extra-typings'
import {
  accountNamed,
  blockAccount,
  setPassword,
  showAccount,
  unblockAccount,
} from '#lib/local/commands/account-tool.ts'
import { ACTOR, printFromTable, withTableOptions } from '#lib/local/commands/over-table.ts'
import { askSecret, CommandError, secretFromInput } from '#lib/local/terminal.ts'

export function declare(command: Command): void {
  const account = withTableOptions(command)
    .description('Changes are logged (npm run settings -- log), and take effect with the next request.')
    .addOption(ACTOR)
  const act = () => ({ as: account.opts().as, now: new Date() })
  account
    .command('show <name>')
    .description('shows the account')
    .action((name) => printFromTable(account.opts(), (store) => showAccount(store, name)))
  account
    .command('block <name>')
    .description('refuses the account from now on')
    .action((name) => printFromTable(account.opts(), (store) => blockAccount(store, name, act())))
  account
    .command('unblock <name>')
    .description('lets the account in again')
    .action((name) => printFromTable(account.opts(), (store) => unblockAccount(store, name, act())))
  account
    .command('set-password <name>')
    .description('gives the account a password')
    .option('--password-stdin', 'reads the password from standard input; without it you are asked')
    .action((name, { passwordStdin }) =>
      printFromTable(account.opts(), async (store) => {
        await accountNamed(store, name)
        const password = await (passwordStdin ? secretFromInput() : askTwice())
        return setPassword(store, { username: name, password }, act())
      }),
    )
}

async function askTwice(): Promise<string> {
  if (!process.stdin.isTTY) throw new CommandError('Not a terminal: pass --password-stdin')
  const password = await askSecret('New password: ')
  if ((await askSecret('Once more: ')) !== password)
    throw new CommandError('These are two different passwords')
  return password
}
