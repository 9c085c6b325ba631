import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import * as v from 'valibot'
import {
  accountLists,
  type Caller,
  listAccounts,
  otherAdminStays,
  setBlocked,
  setPasswordHash,
} from '#lib/accounts/account.ts'
import { asOf, listHistory } from '#lib/accounts/account-history.ts'
import { creditOf, findPayer, type PayerAccount } from '#lib/accounts/limits.ts'
import { hashPassword, SHORTEST_GIVEN_PASSWORD } from '#lib/accounts/password.ts'
import { displayName, ownsCustomers } from '#lib/base/account-types.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { isActiveAdmin } from '#lib/base/scope.ts'
import { type CallMoney, findCallMoney } from '#lib/control/seen.ts'
import { DID_STATUSES, didOfUserKey, listDids } from '#lib/devices/did.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { findSettings, settingsOf } from '#lib/settings/stored-settings.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { changeAction, listAction, showAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf, type Shown, shownFormat } from '../../command-line/listing.ts'
import { accountGone, findAccountNamed } from '../../command-line/named.ts'
import {
  ACTOR,
  operatorOf,
  refuseRace,
  type TerminalAct,
  withTableOptions,
} from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'
import { RECORD_NOUNS } from '../../command-line/record-nouns.ts'
import { editNoun } from '../../command-line/record-tool.ts'
import {
  agreesTo,
  askSecret,
  CommandError,
  countOf,
  secretFromInput,
  UsageError,
} from '../../machine/terminal.ts'

export function declare(command: Command): void {
  const account = withTableOptions(command)
    .description(
      'An account is named by its username or its id. Changes take effect within a second and are logged: npx tollgate settings log.',
    )
    .addOption(ACTOR)
  declareVerbs(account as unknown as PlainCommand, 'account', ['add', 'edit'])
  account
    .command('list')
    .description('list every account')
    .option('--search <TEXT>', 'only accounts with this id, or with this text in their username or name')
    .addOption(listFormat())
    .action(listAction((store, { search }) => listAccountRows(store, search)))
  account
    .command('show <name>')
    .description('show an account')
    .addOption(shownFormat())
    .action(showAction((store, name) => showAccount(store, name, new Date())))
  account
    .command('block <name>')
    .description('refuse an account from now on; you are asked about an account with customers')
    .option('--yes', 'block without asking; required without a terminal')
    .action(
      changeAction((store, act, name, { yes = false }) =>
        blockAccount(store, name, act, async (question) => yes || agreesTo(question)),
      ),
    )
  account
    .command('unblock <name>')
    .description('admit a blocked account again')
    .action(changeAction((store, act, name) => unblockAccount(store, name, act)))
  declareCredentials(account)
}

function declareCredentials(account: ReturnType<typeof withTableOptions>): void {
  account
    .command('rename <name> <new-name>')
    .description('give an account another username')
    .action(
      changeAction(async (store, act, word, username) => {
        const renamed = { word, values: { username } }
        return (await editNoun(store, RECORD_NOUNS.account, renamed, act)).lines
      }),
    )
  account
    .command('set-password <name>')
    .description('replace the password of an account')
    .option('--password-stdin', 'read the password from standard input (default: ask at the terminal)')
    .action(
      changeAction(async (store, act, name, { passwordStdin }) => {
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

/** Every account by owner and id; with `search` those whose id is this text, or whose names contain it. */
export const listAccountRows = (store: Store, search = ''): Promise<Listing> =>
  listingOf(store, 'account', accountsNamed(store, search), {
    id: 'number',
    username: 'text',
    name: ['text', displayName],
    type: ['text', ({ usertype }) => usertype],
    owner: ['number', ({ owner_id }) => owner_id],
    blocked: 'text',
  })

async function* accountsNamed(store: Store, search: string) {
  for await (const account of listAccounts(store)) {
    const names = [account.username, displayName(account)].map((one) => one.toLowerCase())
    if (String(account.id) === search || names.some((one) => one.includes(search.toLowerCase())))
      yield account
  }
}

/** The data of an account without its secrets. */
export async function showAccount(store: Store, word: string, now: Date): Promise<Shown> {
  const caller = asOf(await findAccountNamed(store, word), secondsOf(now))
  const { id, username, usertype, owner_id, blocked, tariff_id, currency, permissions } = caller
  const [account, owned, settings] = await Promise.all([
    findPayer(store, id),
    listDidsOf(store, id),
    settingsOf(store),
  ])
  if (!account) throw accountGone(username)
  const dids = owned.map(({ did }) => did)
  const name = displayName(caller)
  const limits = await limitsShown(store, account, { now, settings })
  const history = listHistory(caller).map(({ from, value = null, ...one }) => ({
    ...one,
    from: from === 0 ? null : formatDateTime(from, settings.Timezone),
    value,
  }))
  return {
    json: {
      id,
      username,
      type: usertype,
      owner: owner_id,
      name,
      blocked,
      tariff: tariff_id ?? null,
      currency,
      permissions,
      devices: account.device_count,
      dids,
      history,
      ...limits.json,
    },
    lines: [
      `${username}: account ${id}, ${usertype} of owner ${owner_id}`,
      `name: ${name}`,
      `blocked: ${blocked ? 'yes' : 'no'}`,
      `tariff: ${tariff_id ?? 'none'}`,
      `currency: ${currency || 'default'}`,
      `permissions: ${permissions || 'none'}`,
      `devices: ${account.device_count}`,
      `DIDs: ${dids.join(', ') || 'none'}`,
      ...limits.lines,
      ...history.map(
        ({ column, from, value }) =>
          `history: ${column} ${value || 'none'} ${from ? `from ${from}` : 'at first'}`,
      ),
    ],
  }
}

/** The limits of the calls of an account, and the money left and held while call control is on. */
async function limitsShown(
  store: Store,
  account: PayerAccount,
  { now, settings }: { readonly now: Date; readonly settings: Settings },
) {
  const calls = await findCallMoney(store, account, { now, settings })
  const { postpaid, credit, daily_balance_limit, calls_limit, dearest_rate, reserve_seconds } = account
  const limits = { postpaid, credit, daily_balance_limit, calls_limit, dearest_rate, reserve_seconds }
  return {
    json: { ...limits, calls: calls ?? null },
    lines: [
      `limits: ${limitsText(account)}`,
      ...(calls ? [`calls: ${moneyText(calls, settings.Default_Currency)}`] : []),
    ],
  }
}

function limitsText(account: PayerAccount): string {
  const { postpaid, daily_balance_limit: day, calls_limit: calls, dearest_rate: rate } = account
  const said = (value: number | string | undefined, words: string) =>
    value === undefined ? [] : [`${value} ${words}`]
  return [
    postpaid ? 'postpaid' : 'prepaid',
    `credit ${creditOf(account) ?? 'without a limit'}`,
    ...said(day, 'a day'),
    ...said(calls, 'calls at once'),
    ...said(rate, 'a minute'),
    ...said(account.reserve_seconds, 'seconds reserved'),
  ].join(', ')
}

function moneyText({ left, held, holds }: CallMoney, currency: string): string {
  const rest = left === undefined ? '' : `${left} ${currency} left, `
  return `${rest}${held} ${currency} held for ${countOf(holds.length, 'call')}`
}

/** Asks whether to do what the question says. */
export type Agree = (question: string) => Promise<boolean>

/**
 * Blocks an account, within a second (wire.md 2). A blocked account stays blocked, and nothing is logged.
 * Throws CommandError for the last active admin, and for an account with customers unless that is agreed to.
 */
export async function blockAccount(
  store: Store,
  word: string,
  act: TerminalAct,
  agree: Agree,
): Promise<string[]> {
  const caller = await findAccountNamed(store, word)
  const { username } = caller
  if (caller.blocked) return [`${username} is already blocked`]
  const remaining = await remainingAdmin(store, caller)
  const customers = ownsCustomers(caller) ? await countCustomers(store, caller.id) : 0
  const owns = `${username} has ${countOf(customers, 'customer')}`
  if (customers > 0 && !(await agree(`${owns}, who stay admitted. Block ${username}?`)))
    throw new CommandError(`${username} is not blocked: ${owns}, so pass --yes`)
  const entry = await logEntry(store, caller, 'blocked', act)
  await setBlocked(store, { ...caller, blocked: true }, [entry, ...remaining]).catch(
    refuseRace('this account'),
  )
  return [`${username} is blocked`]
}

/** The condition that another admin stays active. Throws CommandError if there is none. */
async function remainingAdmin(store: Store, caller: Caller): Promise<Change[]> {
  if (!isActiveAdmin(caller)) return []
  const stays = await otherAdminStays(store, caller.id)
  if (stays) return [stays]
  throw new CommandError(
    `${caller.username} is the last active admin: import or unblock another admin before you block it`,
  )
}

/** Admits a blocked account, within a second. */
export async function unblockAccount(store: Store, word: string, act: TerminalAct): Promise<string[]> {
  const caller = await findAccountNamed(store, word)
  const { username } = caller
  if (!caller.blocked) return [`${username} is already unblocked`]
  const entry = await logEntry(store, caller, 'unblocked', act)
  await setBlocked(store, { ...caller, blocked: false }, [entry]).catch(refuseRace('this account'))
  return [`${username} is unblocked`]
}

/** Replaces a password; the new one is valid from the next login on. */
export async function setPassword(
  store: Store,
  word: string,
  password: string,
  act: TerminalAct,
): Promise<string[]> {
  const caller = await findAccountNamed(store, word)
  const { username } = caller
  if (password.length < SHORTEST_GIVEN_PASSWORD)
    throw new CommandError(`The password is too short: use at least ${SHORTEST_GIVEN_PASSWORD} characters`)
  const entry = await logEntry(store, caller, 'got another password', act)
  await setPasswordHash(store, { ...caller, password_hash: await hashPassword(password) }, entry).catch(
    refuseRace('this account'),
  )
  return [`${username} has a new password`]
}

async function logEntry(
  store: Store,
  { id, username }: Caller,
  did: string,
  act: TerminalAct,
): Promise<Change> {
  const who = await operatorOf(store, act)
  return inAuditLog({ at: act.now.toISOString(), who, account: username, account_id: id, did })
}

/** Counts the accounts that belong to an account, itself not included. */
async function countCustomers(store: Store, ownerId: number): Promise<number> {
  let count = 0
  for await (const page of store.pages({ index: 'GSI1', partition: accountLists.ofOwner.partition(ownerId) }))
    count += page.filter(({ id: accountId }) => accountId !== ownerId).length
  return count
}

const listedDidSchema = v.object({
  id: v.number(),
  did: v.string(),
  device_id: v.optional(v.number()),
  status: v.optional(v.picklist(DID_STATUSES)),
})

/** The DIDs of a customer, ascending by id. A table of format 1 has no such lists: every DID is read. */
export async function listDidsOf(store: Store, user: number) {
  const [settings, listed] = await Promise.all([findSettings(store), store.list(didOfUserKey.range(user))])
  if (formatIn(settings) >= 2) return listed.map((item) => v.parse(listedDidSchema, item))
  const found: v.InferOutput<typeof listedDidSchema>[] = []
  for await (const page of listDids(store)) found.push(...page.filter(({ user_id }) => user_id === user))
  return found
}
