import type { Command } from '@commander-js/extra-typings'
import type { Command as PlainCommand } from 'commander'
import * as v from 'valibot'
import { listAccounts } from '#lib/accounts/account.ts'
import { asOf, listHistory } from '#lib/accounts/account-history.ts'
import { creditOf, findPayer, type PayerAccount } from '#lib/accounts/limits.ts'
import {
  blockAccount,
  resetSecondFactor,
  setPassword,
  unblockAccount,
} from '#lib/acts/accounts/account-acts.ts'
import { displayName } from '#lib/base/account-types.ts'
import { formatDateTime, secondsOf } from '#lib/base/calendar.ts'
import { countOf } from '#lib/base/text.ts'
import { findFigures } from '#lib/billing/ledger/figures.ts'
import { type CallMoney, findCallMoney } from '#lib/control/seen.ts'
import { recordActs } from '#lib/dataset/records/record-acts.ts'
import { DID_STATUSES, didOfUserKey, listDids } from '#lib/devices/did.ts'
import { inviteAccount } from '#lib/invoicing/mails/password-acts.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { findSettings, settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { formatIn } from '#lib/table/table-format.ts'
import { actCommand, withInputs } from '../../command-line/act-commands.ts'
import { listAction, showAction } from '../../command-line/actions.ts'
import { ledgerLines } from '../../command-line/ledger-lines.ts'
import { type Listing, listFormat, listingOf, type Shown, shownFormat } from '../../command-line/listing.ts'
import { accountGone, findAccountNamed } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'
import { declareVerbs } from '../../command-line/record-commands.ts'

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
  actCommand(account, 'block', blockAccount, ['account'])
  actCommand(account, 'unblock', unblockAccount, ['account'])
  actCommand(account, 'set-password', setPassword, ['account'])
  actCommand(account, 'reset-second-factor', resetSecondFactor, ['account'])
  actCommand(account, 'invite', inviteAccount, ['account'])
  const names = ['id', 'username']
  const rename = withInputs(recordActs('accounts').change, 'Give an account another username', names)
  actCommand(account, 'rename', rename, names)
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
  const settings = await settingsOf(store)
  const [account, owned, ledger] = await Promise.all([
    findPayer(store, id),
    listDidsOf(store, id),
    findFigures(store, settings, id),
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
      ledger,
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
      ...ledgerLines(ledger),
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
