import pMap from 'p-map'
import { safeParse } from 'valibot'
import {
  CALL_OWNER_HINTS,
  type CallOwnerHint,
  channelPrefixes,
  isIpAddress,
  isLookupName,
  normalizeAddress,
  parseCallOwnerOrder,
} from '#lib/domain/calls/switch-names.ts'
import { type Money, ZERO } from '#lib/domain/money.ts'
import { digitsOf, ratedDigits } from '#lib/domain/rates/rating.ts'
import type { CarrierHints, Cdr, PartyHints, Problem, ProviderHints } from '#lib/mediation/formats/cdr.ts'
import { findAccounts, findCallers } from '#lib/store/accounts/account.ts'
import { type CallRow, callColumns, findCalls } from '#lib/store/calls/call.ts'
import { rowSchema } from '#lib/store/columns.ts'
import { findDevices, findIdsOfDevices, listDevicesAt } from '#lib/store/devices/device.ts'
import { type Did, findDids, findIdsOfDids } from '#lib/store/devices/did.ts'
import type { Key } from '#lib/store/keys.ts'
import {
  findIdsOfProviders,
  providerAddressKey,
  providerChannelKey,
  providerNameKey,
} from '#lib/store/rates/provider.ts'
import type { Store } from '#lib/store/store.ts'
import { type Mediation, unstorable } from './mediation.ts'

/** The customer of a call, and the calling device if the CDR names it. */
export interface CallOwner {
  readonly user_id: number
  readonly device_id: number | undefined
}

type Owners = ReadonlyMap<string, CallOwner>

/**
 * Resolves the accounts of calls. The setting Call_Owner_Order gives the order of the hints: the first one that names an
 * account or a device decides. Returns `undefined` for a call without such a hint. A text that several calls share is
 * looked up once, and only for calls that no earlier hint has decided.
 */
export async function resolveAccounts(
  mediation: Mediation,
  parties: readonly PartyHints[],
): Promise<(CallOwner | undefined)[]> {
  const order = parseCallOwnerOrder(mediation.settings.Call_Owner_Order) ?? CALL_OWNER_HINTS
  const owners = parties.map((): CallOwner | undefined => undefined)
  for (const hint of order) {
    const textIn = TEXT_OF_HINT[hint]
    const open = parties.filter((_, place) => owners[place] === undefined).map(textIn)
    const found = await OWNERS_BY_HINT[hint](mediation, [...new Set(open.filter(isLookupName))])
    for (const [place, party] of parties.entries()) owners[place] ??= found.get(textIn(party))
  }
  return withDevices(mediation, parties, owners)
}

const TEXT_OF_HINT: Readonly<Record<CallOwnerHint, (party: PartyHints) => string>> = {
  account_code: ({ accountCode }) => accountCode,
  device: ({ device }) => device,
  sip_user: ({ sipUser }) => sipUser,
  did: ({ did }) => did,
  ip: ({ ip }) => ip,
}

const OWNERS_BY_HINT: Readonly<Record<CallOwnerHint, typeof byDid>> = {
  account_code: byAccountCode,
  device: byDeviceName,
  sip_user: byDeviceName,
  did: byDid,
  ip: byAddress,
}

/** Adds the device to owners without one, if the CDR also names a device of the same account. */
async function withDevices(
  mediation: Mediation,
  parties: readonly PartyHints[],
  owners: readonly (CallOwner | undefined)[],
): Promise<(CallOwner | undefined)[]> {
  const open = parties.filter((_, place) => isWithoutDevice(owners[place]))
  const names = open.flatMap(({ device, sipUser }) => [device, sipUser])
  const devices = await byDeviceName(mediation, [...new Set(names.filter(isLookupName))])
  return parties.map(({ device, sipUser }, place) => {
    const owner = owners[place]
    if (!isWithoutDevice(owner)) return owner
    const named = [device, sipUser].map((name) => devices.get(name))
    return named.find((one) => one?.user_id === owner.user_id) ?? owner
  })
}

const isWithoutDevice = (owner: CallOwner | undefined): owner is CallOwner =>
  owner !== undefined && owner.device_id === undefined

/** An account code is a username, otherwise the id of an account. */
async function byAccountCode({ store }: Mediation, codes: readonly string[]): Promise<Owners> {
  const byName = await findCallers(store, codes)
  const ids = codes.filter((code) => /^\d{1,15}$/.test(code))
  const byId = await findAccounts(store, ids.map(Number))
  const owner = (user_id: number): CallOwner => ({ user_id, device_id: undefined })
  return new Map([
    ...ids.flatMap((code, place) => (byId[place] ? [[code, owner(Number(code))] as const] : [])),
    ...codes.flatMap((code, place) => {
      const account = byName[place]
      return account ? [[code, owner(account.id)] as const] : []
    }),
  ])
}

async function byDeviceName({ store }: Mediation, names: readonly string[]): Promise<Owners> {
  const ids = await findIdsOfDevices(store, names)
  const owners = await ownersOfDevices(store, ids)
  return named(names, (_, place) => owners.get(ids[place]))
}

/** Several devices may share an address. It names their customer if all have the same one, but then no device. */
async function byAddress({ store }: Mediation, texts: readonly string[]): Promise<Owners> {
  const addresses = texts.filter((text) => isIpAddress(normalizeAddress(text)))
  const found = await pMap(addresses, (text) => listDevicesAt(store, normalizeAddress(text)), {
    concurrency: 8,
  })
  return named(addresses, (_, place) => {
    const [first, ...others] = found[place] ?? []
    if (!first || others.some(({ user_id }) => user_id !== first.user_id)) return undefined
    return { user_id: first.user_id, device_id: others.length === 0 ? first.id : undefined }
  })
}

/** A DID belongs to the customer to whom it is assigned, otherwise to the customer of the device that it rings. */
async function byDid({ store, settings }: Mediation, texts: readonly string[]): Promise<Owners> {
  const numbers = [...new Set(texts.flatMap((text) => [digitsOf(text), ratedDigits(text, settings)]))]
  const ids = await findIdsOfDids(store, numbers)
  const dids = (await findDids(store, ids.filter(isDefined))).filter(isDefined)
  const didOf = new Map(dids.map((did) => [digitsOf(did.did), did]))
  const ringing = await ownersOfDevices(
    store,
    dids.map(({ device_id }) => device_id),
  )
  return named(texts, (text) => {
    const did = didOf.get(digitsOf(text)) ?? didOf.get(ratedDigits(text, settings))
    return did && ownerOfDid(did, ringing)
  })
}

function ownerOfDid({ user_id, device_id }: Did, ringing: ReadonlyMap<number | undefined, CallOwner>) {
  const owner = user_id ?? ringing.get(device_id)?.user_id
  return owner === undefined ? undefined : { user_id: owner, device_id: undefined }
}

async function ownersOfDevices(
  store: Store,
  ids: readonly (number | undefined)[],
): Promise<ReadonlyMap<number | undefined, CallOwner>> {
  const devices = await findDevices(store, [...new Set(ids)].filter(isDefined))
  return new Map(devices.filter(isDefined).map(({ id, user_id }) => [id, { user_id, device_id: id }]))
}

const isDefined = <T>(one: T | undefined): one is T => one !== undefined

const named = (
  texts: readonly string[],
  ownerOf: (text: string, place: number) => CallOwner | undefined,
): Owners =>
  new Map(
    texts.flatMap((text, place) => {
      const owner = ownerOf(text, place)
      return owner ? [[text, owner] as const] : []
    }),
  )

/** A carrier charges for termination. Origination is free, so its provider price is zero. */
type ProviderColumns = Partial<CallRow> & { readonly provider_price?: Money }

/**
 * Resolves the providers of calls: the carrier of the termination, otherwise that of the origination. Names come before
 * addresses, and addresses before the longest prefix of a channel. A hint that several calls share is looked up once.
 */
async function resolveProviders(store: Store, hints: readonly ProviderHints[]): Promise<ProviderColumns[]> {
  const asked = hints.map((hint) => ({ out: keysOf(hint.out), in: keysOf(hint.in) }))
  const keys = new Map(asked.flatMap((each) => [...each.out, ...each.in]).map((key) => [key.PK, key]))
  const ids = await findIdsOfProviders(store, [...keys.values()])
  const known = new Map([...keys.keys()].map((name, place) => [name, ids[place]]))
  const first = (some: readonly Key[]) => some.map(({ PK }) => known.get(PK)).find(isDefined)

  return asked.map((each) => {
    const [termination, origination] = [first(each.out), first(each.in)]
    if (termination !== undefined) return { provider_id: termination }
    return origination === undefined ? {} : { provider_id: origination, provider_price: ZERO }
  })
}

const keysOf = ({ names, addresses, channels }: CarrierHints): Key[] => [
  ...names
    .map((name) => name.trim().toLowerCase())
    .filter(isLookupName)
    .map(providerNameKey),
  ...addresses.map(normalizeAddress).filter(isLookupName).map(providerAddressKey),
  ...channels.flatMap(channelPrefixes).map(providerChannelKey),
]

/** A CDR, and the row of its call without customer and provider. */
interface Unresolved {
  readonly cdr: Cdr
  readonly row: CallRow
}

/** The rows of calls with customer and provider, or the reason why a call cannot be stored. */
export async function resolveRows(
  mediation: Mediation,
  cdrs: readonly Unresolved[],
): Promise<(CallRow | Problem)[]> {
  const [accounts, providers] = await Promise.all([
    resolveCustomers(mediation, cdrs),
    resolveProviders(
      mediation.store,
      cdrs.map(({ cdr }) => cdr.provider),
    ),
  ])
  return cdrs.map((one, place) => resolvedRow(one, accounts[place], providers[place]))
}

/** The account that caused a call pays for it: it dialled the leg, or it transferred or forwarded the call. */
async function resolveCustomers(
  mediation: Mediation,
  cdrs: readonly Unresolved[],
): Promise<(CallOwner | undefined)[]> {
  const [callers, forwarders, diallers] = await Promise.all([
    resolveAccounts(
      mediation,
      cdrs.map(({ cdr }) => cdr.party),
    ),
    findForwarders(mediation, cdrs),
    findDiallers(mediation, cdrs),
  ])
  const own = cdrs.map(({ cdr: { party } }, place) => forwarders.get(party.reached ?? '') ?? callers[place])
  const inBatch = new Map(cdrs.map(({ row }, place) => [legName(row.source, row.uniqueid), own[place]]))
  return cdrs.map(({ cdr: { party }, row }, place) => {
    if (!party.originator) return own[place]
    const dialler = legName(row.source, party.originator)
    return diallers.get(dialler) ?? inBatch.get(dialler) ?? own[place]
  })
}

/** The owners of the devices and DIDs that callers had reached before a trunk. */
async function findForwarders(mediation: Mediation, cdrs: readonly Unresolved[]): Promise<Owners> {
  const reached = [...new Set(cdrs.flatMap(({ cdr }) => cdr.party.reached ?? []))].filter(isLookupName)
  if (reached.length === 0) return new Map()
  const [devices, dids] = await Promise.all([byDeviceName(mediation, reached), byDid(mediation, reached)])
  return new Map([...dids, ...devices])
}

/** The customers of the stored calls of the legs that dialled a leg. */
async function findDiallers({ store }: Mediation, cdrs: readonly Unresolved[]): Promise<Owners> {
  const legs = cdrs.flatMap(({ cdr: { party }, row: { source } }) =>
    party.originator ? [{ source, uniqueid: party.originator }] : [],
  )
  const calls = await findCalls(store, legs)
  return new Map(
    calls.flatMap((call, place) => {
      const { source, uniqueid = '' } = legs[place] ?? {}
      const owner = call && { user_id: call.user_id, device_id: call.device_id }
      return owner ? [[legName(source, uniqueid), owner] as const] : []
    }),
  )
}

const legName = (source: string | undefined, uniqueid: string): string => `${source} ${uniqueid}`

function resolvedRow(
  { cdr, row }: Unresolved,
  account: CallOwner | undefined,
  provider: ProviderColumns | undefined,
): CallRow | Problem {
  if (!account) return { reason: 'unknown_account', detail: unknownParty(cdr.party) }
  const resolved = { ...row, ...account, ...provider }
  const { success, issues } = safeParse(storableRow, resolved)
  return success ? resolved : unstorable(issues[0])
}

const storableRow = rowSchema(callColumns)

function unknownParty({ accountCode, device, sipUser, ip, originator }: PartyHints): string {
  if (originator)
    return `the leg that dialled it, ${JSON.stringify(originator)}, is no stored call: retry when it is`
  const names = [...new Set([accountCode, device, sipUser, ip])].filter((name) => name !== '')
  if (names.length === 0) return 'it names no account and no device'
  return `no account or device is ${names.map((name) => JSON.stringify(name)).join(' or ')}`
}
