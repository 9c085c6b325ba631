import { CALL_OWNER_HINTS, type CallOwnerHint, callOwnerOrder } from '#lib/domain/calls/owner-order.ts'
import type { Settings } from '#lib/domain/settings.ts'
import type { PartyHints } from '#lib/intake/record.ts'
import { findAccounts, findCallers } from '#lib/store/accounts/account.ts'
import { type Device, findDevices, findIdsOfDevices } from '#lib/store/devices/device.ts'
import type { Store } from '#lib/store/store.ts'

/** Whose call it is, and from which of its devices where that is known. */
export interface CallOwner {
  readonly user_id: number
  readonly device_id: number | undefined
}

/**
 * Whose calls these are, by what the switches say of them, in the order of the setting Call_Owner_Order: the first hint
 * that names an account or a device decides. `undefined` where none does. What several calls say is looked up once.
 */
export async function findOwners(
  store: Store,
  settings: Pick<Settings, 'Call_Owner_Order'>,
  parties: readonly PartyHints[],
): Promise<(CallOwner | undefined)[]> {
  const order = callOwnerOrder(settings.Call_Owner_Order) ?? CALL_OWNER_HINTS
  const accounts = await accountsByCode(store, said(parties, 'accountCode'))
  const devices = await devicesByName(store, [...said(parties, 'device'), ...said(parties, 'sipUser')])
  return parties.map((party) => ownerOf(party, order, { accounts, devices }))
}

interface Known {
  readonly accounts: ReadonlyMap<string, number>
  readonly devices: ReadonlyMap<string, Device>
}

function ownerOf(party: PartyHints, order: readonly CallOwnerHint[], known: Known): CallOwner | undefined {
  const device = known.devices.get(party.device) ?? known.devices.get(party.sipUser)
  const named: Readonly<Record<CallOwnerHint, number | undefined>> = {
    account_code: known.accounts.get(party.accountCode),
    device: known.devices.get(party.device)?.user_id,
    sip_user: known.devices.get(party.sipUser)?.user_id,
  }
  const user_id = order.map((hint) => named[hint]).find((id) => id !== undefined)
  if (user_id === undefined) return undefined
  return { user_id, device_id: device?.user_id === user_id ? device.id : undefined }
}

const said = (parties: readonly PartyHints[], hint: 'accountCode' | 'device' | 'sipUser'): string[] => [
  ...new Set(parties.map((party) => party[hint]).filter(isName)),
]

/** Longer ones name nobody, and could not be looked up. */
const isName = (text: string): boolean => text !== '' && text.length <= 150

/** A code is a username, or else the id of an account. */
async function accountsByCode(store: Store, codes: readonly string[]): Promise<Map<string, number>> {
  const byName = await findCallers(store, codes)
  const ids = codes.filter((code) => /^\d{1,15}$/.test(code))
  const byId = await findAccounts(store, ids.map(Number))
  return new Map([
    ...ids.flatMap((code, place) => (byId[place] ? [[code, Number(code)] as const] : [])),
    ...codes.flatMap((code, place) => {
      const account = byName[place]
      return account ? [[code, account.id] as const] : []
    }),
  ])
}

async function devicesByName(store: Store, names: readonly string[]): Promise<Map<string, Device>> {
  const each = [...new Set(names)]
  const ids = await findIdsOfDevices(store, each)
  const named = each.flatMap((name, place) => {
    const id = ids[place]
    return id === undefined ? [] : [{ name, id }]
  })
  const devices = await findDevices(
    store,
    named.map(({ id }) => id),
  )
  return new Map(
    named.flatMap(({ name }, place) => {
      const device = devices[place]
      return device ? [[name, device] as const] : []
    }),
  )
}
