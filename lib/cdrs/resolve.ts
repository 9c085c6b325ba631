import { safeParse } from 'valibot'
import { findAccounts } from '#lib/accounts/account.ts'
import { findFormerNames, findNamedAccounts, formerHolder } from '#lib/accounts/former-name.ts'
import type { Seconds } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { paired } from '#lib/base/collections.ts'
import {
  type AccountCodes,
  CALL_OWNER_HINTS,
  type CallOwnerHint,
  isIpAddress,
  isLookupName,
  normalizeAddress,
  parseCallOwnerOrder,
} from '#lib/base/switch-names.ts'
import { type CallRow, callColumns, findCalls } from '#lib/calls/call.ts'
import { findDevices, findIdsOfDevices, listDevicesAt } from '#lib/devices/device-stored.ts'
import { type Did, findDids, findIdsOfDids } from '#lib/devices/did.ts'
import { idWritten } from '#lib/devices/taken-name.ts'
import { calledUser } from '#lib/rates/numbers/called-text.ts'
import { type ProviderColumns, resolveProviders } from '#lib/rates/provider.ts'
import { digitsOf, ratedDigits } from '#lib/rates/rating.ts'
import { rowSchema } from '#lib/table/columns.ts'
import { findForEach } from '#lib/table/requests/query.ts'
import type { Store } from '#lib/table/store.ts'
import type { Cdr, PartyHints, Problem } from './formats/cdr.ts'
import { isPhoneNumber, shellQuoted } from './formats/fields.ts'
import { type CdrVersion, isAnswered, type MediationContext, unstorable } from './mediation.ts'

/** The customer of a call, and the calling device if the CDR names it. */
export interface CallOwner {
  readonly user_id: number
  readonly device_id: number | undefined
  /** Found by the DID that was called. */
  readonly isCalled?: boolean
  /** Found by a name that another account had before this moment. */
  readonly namedSince?: Seconds | undefined
  /** The account code is its username, and was made the id of another account since. */
  readonly isAmbiguous?: boolean
}

/** The accounts of calls, by their hints; `undefined` for a call without one. */
type AccountsOfParties = ReadonlyMap<PartyHints, CallOwner | undefined>

/** The owners that texts name; `undefined` for a text that names none. */
type Owners = ReadonlyMap<string, CallOwner | undefined>

/**
 * Resolves the accounts of calls. The setting Call_Owner_Order gives the order of the hints: the first one
 * that names an account or a device decides. A call without such a hint has no owner. A text that several
 * calls share is looked up once, and only for calls that no earlier hint has decided.
 */
export async function resolveAccounts(
  mediation: MediationContext,
  parties: readonly PartyHints[],
): Promise<AccountsOfParties> {
  const order = hintsOf(mediation.settings)
  const owners = new Map<PartyHints, CallOwner | undefined>()
  for (const hint of order) {
    const open = parties.filter((party) => !owners.get(party))
    if (open.length === 0) break
    const ownerOf = await HINTS[hint](mediation, open)
    for (const party of open) owners.set(party, ownerOf(party))
  }
  return withDevices(mediation, owners)
}

const hintsOf = ({ Call_Owner_Order }: MediationContext['settings']): readonly CallOwnerHint[] =>
  parseCallOwnerOrder(Call_Owner_Order) ?? CALL_OWNER_HINTS

type OwnerOf = (party: PartyHints) => CallOwner | undefined

type Hint = (mediation: MediationContext, parties: readonly PartyHints[]) => Promise<OwnerOf>

/** A hint whose text means the same from every switch. */
const byText =
  (
    textIn: (party: PartyHints) => string,
    findOwners: (mediation: MediationContext, texts: readonly string[]) => Promise<Owners>,
  ): Hint =>
  async (mediation, parties) => {
    const found = await findOwners(mediation, lookupNames(parties.map(textIn)))
    return (party) => found.get(textIn(party))
  }

const byAccountCode: Hint = async (mediation, parties) => {
  const codes = parties.map(({ accountCode }) => accountCode)
  const ownerOf = await findOwnersOfCodes(mediation, codes)
  return ({ accountCode, codes: kind }) => ownerOf(accountCode, kind)
}

const HINTS: Readonly<Record<CallOwnerHint, Hint>> = {
  account_code: byAccountCode,
  device: byText(({ device }) => device, byDeviceName),
  sip_user: byText(({ sipUser }) => sipUser, byDeviceName),
  did: byText(({ did }) => did, byDid),
  ip: byText(({ ip }) => ip, byAddress),
}

/** Each text once, if it can be looked up. */
const lookupNames = (texts: readonly string[]): string[] => [...new Set(texts.filter(isLookupName))]

/** Adds the device to owners without one, if the CDR also names a device of the same account. */
async function withDevices(
  mediation: MediationContext,
  owners: AccountsOfParties,
): Promise<AccountsOfParties> {
  const open = [...owners].flatMap(([party, owner]) =>
    owner && owner.device_id === undefined ? [{ party, owner }] : [],
  )
  const names = open.flatMap(({ party: { device, sipUser } }) => [device, sipUser])
  const devices = await byDeviceName(mediation, lookupNames(names))
  const withDevice = open.map(({ party, owner }) => {
    const named = [devices.get(party.device), devices.get(party.sipUser)]
    const device = named.find((one) => one?.user_id === owner.user_id)
    const { namedSince, isAmbiguous } = owner
    return [party, device ? { ...device, namedSince, ...(isAmbiguous && { isAmbiguous }) } : owner] as const
  })
  return new Map([...owners, ...withDevice])
}

/**
 * An account code is a username, otherwise the id of an account; `010` may be that of another system. The
 * operator may say for a switch that its codes are one of both.
 */
async function findOwnersOfCodes(
  { store }: MediationContext,
  texts: readonly string[],
): Promise<(code: string, kind: AccountCodes | undefined) => CallOwner | undefined> {
  const codes = lookupNames(texts)
  const byName = paired(codes, await findNamedAccounts(store, codes))
  const ids = codes.filter((code) => idWritten(code) !== undefined)
  const byId = paired(ids, await findAccounts(store, ids.map(Number)))
  return (code, kind) => {
    const named = kind === 'ids' ? undefined : byName.get(code)
    const account = kind === 'names' ? undefined : byId.get(code)
    if (!named) return account && { user_id: account.id, device_id: undefined }
    const isAmbiguous = named.name_checked && account !== undefined && account.id !== named.id
    const owner = { user_id: named.id, device_id: undefined, namedSince: named.name_since }
    return isAmbiguous ? { ...owner, isAmbiguous } : owner
  }
}

async function byDeviceName({ store }: MediationContext, names: readonly string[]): Promise<Owners> {
  const ids = paired(names, await findIdsOfDevices(store, names))
  const owners = await ownersOfDevices(store, [...ids.values()])
  return new Map(names.map((name) => [name, owners.get(ids.get(name))]))
}

/** Several devices may share an address: it names the customer if they have one in common, but no device. */
async function byAddress({ store }: MediationContext, texts: readonly string[]): Promise<Owners> {
  const addresses = texts.filter((text) => isIpAddress(normalizeAddress(text)))
  const withOwner = async (text: string) => {
    const [first, ...others] = await listDevicesAt(store, text)
    if (!first || others.some(({ user_id }) => user_id !== first.user_id)) return [text, undefined] as const
    return [text, { user_id: first.user_id, device_id: others.length === 0 ? first.id : undefined }] as const
  }
  return new Map(await findForEach(addresses, withOwner))
}

/** A DID belongs to its customer, otherwise to the customer of the device that it rings. */
async function byDid({ store, settings }: MediationContext, texts: readonly string[]): Promise<Owners> {
  const formsOf = (text: string) => {
    const user = calledUser(text)
    return [digitsOf(user), ratedDigits(user, settings)]
  }
  const numbers = [...new Set(texts.flatMap(formsOf))]
  const ids = (await findIdsOfDids(store, numbers)).filter(isDefined)
  const dids = (await findDids(store, ids)).filter(isDefined)
  const didOf = new Map(dids.map((did) => [digitsOf(did.did), did]))
  const devices = dids.map(({ device_id }) => device_id)
  const ringing = await ownersOfDevices(store, devices)
  const ownerOf = (text: string) => {
    const did = formsOf(text)
      .map((digits) => didOf.get(digits))
      .find(isDefined)
    return did && ownerOfDid(did, ringing)
  }
  return new Map(texts.map((text) => [text, ownerOf(text)]))
}

function ownerOfDid(
  { user_id, device_id }: Did,
  ringing: ReadonlyMap<number | undefined, CallOwner>,
): CallOwner | undefined {
  const owner = user_id ?? ringing.get(device_id)?.user_id
  return owner === undefined ? undefined : { user_id: owner, device_id: undefined, isCalled: true }
}

async function ownersOfDevices(
  store: Store,
  ids: readonly (number | undefined)[],
): Promise<ReadonlyMap<number | undefined, CallOwner>> {
  const devices = await findDevices(store, [...new Set(ids)].filter(isDefined))
  return new Map(devices.filter(isDefined).map(({ id, user_id }) => [id, { user_id, device_id: id }]))
}

const isDefined = <T>(one: T | undefined): one is T => one !== undefined

/** Adds to each version the call with customer and provider, or the reason why it cannot be stored. */
export async function resolveRows(
  mediation: MediationContext,
  unresolved: readonly CdrVersion[],
): Promise<CdrVersion[]> {
  const [owners, providers] = await Promise.all([
    resolveCustomers(mediation, unresolved),
    resolveProviders(
      mediation.store,
      unresolved.map(({ cdr }) => cdr.provider),
    ),
  ])
  return unresolved.map((one) => ({
    ...one,
    resolved: resolvedRow(mediation, one, owners.get(one), providers.get(one.cdr.provider)),
  }))
}

/**
 * The accounts of CDRs by account code, as of the call's start: a name belongs to its holder at that time.
 * Former holders are looked up only if the present one came after the start, or if no account is named.
 */
async function asOfStart(
  { store, settings }: MediationContext,
  cdrs: readonly Cdr[],
  owners: AccountsOfParties,
): Promise<AccountsOfParties> {
  const asked = cdrs.filter(({ party, start }) => {
    const owner = owners.get(party)
    const isTakenOver = (owner?.namedSince ?? 0) > start
    const isName = isLookupName(party.accountCode) && party.codes !== 'ids'
    return isName && (isTakenOver || owner === undefined)
  })
  if (asked.length === 0 || !hintsOf(settings).includes('account_code')) return owners
  const codes = [...new Set(asked.map(({ party }) => party.accountCode))]
  const former = paired(codes, await findFormerNames(store, codes))
  const holders = asked.flatMap(({ party, start }) => {
    const id = formerHolder(former.get(party.accountCode), start)
    return id === undefined ? [] : [{ party, id }]
  })
  const ids = [...new Set(holders.map(({ id }) => id))]
  const stored = paired(ids, await findAccounts(store, ids))
  const known = new Map(owners)
  for (const { party, id } of holders)
    known.set(party, stored.get(id) && { user_id: id, device_id: undefined })
  return known
}

/** The account that caused a call pays: it dialled the leg, or transferred or forwarded the call. */
async function resolveCustomers(
  mediation: MediationContext,
  unresolved: readonly CdrVersion[],
): Promise<ReadonlyMap<CdrVersion, CallOwner | undefined>> {
  const parties = unresolved.map(({ cdr }) => cdr.party)
  const [current, forwarders, diallers, payerOf] = await Promise.all([
    resolveAccounts(mediation, parties),
    findForwarders(mediation, parties),
    findDiallers(mediation, unresolved),
    findOwnersOfCodes(
      mediation,
      parties.flatMap(({ payer }) => payer ?? []),
    ),
  ])
  const callers = await asOfStart(
    mediation,
    unresolved.map(({ cdr }) => cdr),
    current,
  )
  const ownOf = ({ party }: Cdr) => {
    const [forwarder, caller] = [forwarders.get(party.reached ?? ''), callers.get(party)]
    const payer = payerOf(party.payer ?? '', party.codes)
    if (!payer) return forwarder ?? caller
    return [forwarder, caller].find((one) => one?.user_id === payer.user_id && !one.isCalled) ?? payer
  }
  const inBatch = new Map(unresolved.map(({ cdr, row }) => [legName(row), ownOf(cdr)]))
  const ownerOf = ({ cdr, row: { source } }: CdrVersion) => {
    if (!cdr.party.originator) return ownOf(cdr)
    const dialler = legName({ source, uniqueid: cdr.party.originator })
    return diallers.get(dialler) ?? inBatch.get(dialler) ?? ownOf(cdr)
  }
  return new Map(unresolved.map((one) => [one, ownerOf(one)]))
}

/** The owners of the devices and DIDs that callers had reached before a trunk. */
export async function findForwarders(
  mediation: MediationContext,
  parties: readonly Pick<PartyHints, 'reached'>[],
): Promise<Owners> {
  const reached = lookupNames(parties.flatMap((party) => party.reached ?? []))
  if (reached.length === 0) return new Map()
  const [devices, dids] = await Promise.all([byDeviceName(mediation, reached), byDid(mediation, reached)])
  const ownerOf = (text: string) => {
    const did = dids.get(text)
    return devices.get(text) ?? (did && { ...did, isCalled: false })
  }
  return new Map(reached.map((text) => [text, ownerOf(text)]))
}

/** The customers of the stored calls of the legs that dialled a leg. */
async function findDiallers({ store }: MediationContext, unresolved: readonly CdrVersion[]): Promise<Owners> {
  const legs = unresolved.flatMap(({ cdr, row: { source } }) =>
    cdr.party.originator ? [{ source, uniqueid: cdr.party.originator }] : [],
  )
  const calls = (await findCalls(store, legs)).filter(isDefined)
  return new Map(calls.map((call) => [legName(call), { user_id: call.user_id, device_id: call.device_id }]))
}

const legName = ({ source, uniqueid }: CallIdentity): string => `${source} ${uniqueid}`

function resolvedRow(
  { settings }: MediationContext,
  { cdr, row }: CdrVersion,
  account: CallOwner | undefined,
  provider: ProviderColumns | undefined,
): CallRow | Problem {
  if (!account) return { reason: 'unknown_account', detail: unknownParty(cdr.party) }
  const { isCalled = false, namedSince: _, isAmbiguous = false, ...owner } = account
  if (isAmbiguous) return { reason: 'ambiguous_account', detail: twoAccounts(cdr.party) }
  if (cdr.incomingBy !== undefined && !isCalled && isAnswered(row) && isPhoneNumber(digitsOf(cdr.dst)))
    return { reason: 'unreadable', detail: notOfDid(cdr.incomingBy) }
  const isTerminated = provider?.provider_id !== undefined && provider.provider_price === undefined
  const incoming = isCalled && !isTerminated && !settings.Rate_Incoming_Calls
  // A call without a known terminating carrier was dialled as its number is printed.
  const numbers = isTerminated ? {} : { dialled_dst: undefined, carrier_dst: undefined }
  const resolved = { ...row, ...owner, ...provider, incoming, ...numbers }
  const { success, issues } = safeParse(storableRow, resolved)
  return success ? resolved : unstorable(issues[0])
}

const storableRow = rowSchema(callColumns)

/** Switches call the A-leg of an outgoing call inbound, too. */
const notOfDid = (incoming: string): string =>
  `${incoming} says that it did not go out, but it called no DID of its account: leave these rows out by --where ${shellQuoted(incoming.replace('=', '!='))}, or bill only these by --where ${shellQuoted(incoming)}`

const twoAccounts = ({ payer, accountCode }: PartyHints): string =>
  `${JSON.stringify(payer ?? accountCode)} is the username of one account and the id of another: rename the first, or say what the codes of the switch are (--codes names or ids)`

function unknownParty({ accountCode, device, sipUser, ip, originator }: PartyHints): string {
  if (originator)
    return `the leg that dialled it, ${JSON.stringify(originator)}, is not stored yet: retry when it is`
  const names = [...new Set([accountCode, device, sipUser, ip])].filter((name) => name !== '')
  if (names.length === 0) return 'it names no account and no device'
  return `no account or device is ${names.map((name) => JSON.stringify(name)).join(' or ')}`
}
