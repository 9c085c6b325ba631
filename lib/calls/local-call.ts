import * as v from 'valibot'
import { type Account, findAccounts } from '#lib/accounts/account.ts'
import { displayName, partiesOf } from '#lib/base/account-types.ts'
import type { Period } from '#lib/base/calendar.ts'
import { ADMIN_ACCOUNT, type LimitedScope, type Scope } from '#lib/base/scope.ts'
import { type Column, dateTime, id, optionalId, type Row, text, textLike } from '#lib/table/columns.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { keyForm, listNames, nameOfList } from '#lib/table/keys.ts'
import { pack, unpacker } from '#lib/table/packed-row.ts'
import type { Store } from '#lib/table/store.ts'
import { type DayListing, listDays } from './day-list.ts'
import type { DayRecord } from './day-record.ts'

export const localCallKeys = {
  item: keyForm('LOCALCALL#<uniqueid>', 'LOCALCALL'),
  lists: listNames('LOCALCALLS'),
  /** The list of an owner or a customer. Admin's list has every call. */
  of: (scope: LimitedScope): string => nameOfList(localCallKeys.lists, scope),
}

/** `orignator_ip` and `orignator_channel` are spelled as the API spells them (wire.md local_calls_get). */
export const localCallColumns = {
  uniqueid: textLike('text of at most 200 characters', /^.{1,200}$/su),
  calldate: dateTime,
  originator_user_id: optionalId,
  originator_device: text(),
  originator_caller_id: text(),
  orignator_ip: text(),
  orignator_channel: text(),
  terminator_user_id: optionalId,
  terminator_user: text(),
  terminator_device: text(),
  terminator_ip: text(),
}

export type LocalCall = Row<typeof localCallColumns>

/** A call as its lists show it, with the owners of both parties at the time it was stored. */
export type ListedCall = LocalCall & { readonly owners: readonly number[] }

/** The cell has ids with spaces between them. */
export const ownerList: Column<readonly number[]> = {
  describes: 'ids of accounts, separated by spaces',
  schema: v.array(id.schema),
  fromCell: (cell, dialling) =>
    cell
      .trim()
      .split(/\s+/)
      .map((owner) => id.fromCell(owner, dialling)),
}

export const listedCallColumns = { ...localCallColumns, owners: ownerList }

const readListed = unpacker(listedCallColumns)

/** The calls with a party in the scope: ascending by time, then unique id. */
export const listLocalCalls = (store: Store, scope: Scope, period: Period): Promise<DayListing<ListedCall>> =>
  listDays(store, { list: localCallKeys.of(listFor(scope)), read: readListed }, period)

/** Admin's list has every call. Admin and accountant see all of them (wire.md local_calls_get). */
const listFor = (scope: Scope): LimitedScope => (scope === 'everyone' ? { owner: ADMIN_ACCOUNT } : scope)

/**
 * Yields the calls that were stored while their customer belonged to this owner. A new owner must not see the
 * other parties of earlier calls.
 */
export async function* underOwner(
  pages: AsyncIterable<ListedCall[]>,
  owner: number,
): AsyncGenerator<ListedCall[]> {
  for await (const page of pages) yield page.filter((call) => call.owners.includes(owner))
}

interface LocalCallToStore {
  /** `owners`, if given, replace the owners of the parties. */
  readonly row: LocalCall & { readonly owners?: readonly number[] | undefined }
  readonly digest: string
}

/** The calls as records, with the present owners of their parties. */
export async function recordsOfLocalCalls(
  store: Store,
  calls: readonly LocalCallToStore[],
): Promise<DayRecord[]> {
  const accountsOf = batchedLookup((ids) => findAccounts(store, ids))
  const accounts = await accountsOf(
    calls.flatMap(({ row }) => [row.originator_user_id, row.terminator_user_id]),
  )
  return calls.map((call) => recordOf(call, accounts))
}

const withAdmin = (owners: readonly number[]): number[] => [...new Set([ADMIN_ACCOUNT, ...owners])]

/** A terminator without a name has the display name of its account. */
function recordOf({ row, digest }: LocalCallToStore, accounts: ReadonlyMap<number, Account>): DayRecord {
  const [originator, terminator] = [row.originator_user_id, row.terminator_user_id].map((userId) =>
    userId === undefined ? undefined : accounts.get(userId),
  )
  const parties = partiesOf([originator, terminator])
  const { users } = parties
  const owners = row.owners ?? parties.owners
  const terminator_user = row.terminator_user || (terminator ? displayName(terminator) : '')
  return {
    key: localCallKeys.item(row.uniqueid),
    digest,
    at: row.calldate,
    place: row.uniqueid,
    lists: [...users.map((user) => ({ user })), ...withAdmin(owners).map((owner) => ({ owner }))].map(
      localCallKeys.of,
    ),
    row: pack(listedCallColumns, { ...row, terminator_user, owners }),
  }
}
