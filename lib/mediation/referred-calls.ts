import { groupBy } from '#lib/domain/collections.ts'
import { findIdsOfDevices } from '#lib/store/devices/device.ts'
import { isAnswered, type UnresolvedVersion } from './decide-cdrs.ts'
import { isPhoneNumber } from './formats/called-number.ts'
import type { Mediation } from './mediation.ts'

// A phone that is called may transfer its caller by REFER. The caller's channel then goes to the new number before its first
// CDR has ended, so that both CDRs have this number (main/cdr.c: dst is the extension where the channel is). The first one
// is the call to the phone, which no carrier took.

/** The CDRs with the phone as their number, where the caller's channel goes on to another number behind them. */
export async function asCallsToPhones(
  { store }: Mediation,
  versions: readonly UnresolvedVersion[],
): Promise<readonly UnresolvedVersion[]> {
  const groups = groupBy(versions.filter(isToNumber), nameOfChannel).values()
  const referred = [...groups].flatMap((some) => some.filter((one) => goesOn(one, some)))
  if (referred.length === 0) return versions
  const ids = await findIdsOfDevices(store, referred.map(peerOf))
  const toPhones = new Set(referred.filter((_, index) => ids[index] !== undefined))
  return versions.map((one) => (toPhones.has(one) ? { ...one, row: { ...one.row, dst: peerOf(one) } } : one))
}

const isToNumber = ({ sourced: { cdr }, row }: UnresolvedVersion): boolean =>
  cdr.uniqueid.trim() !== '' && isAnswered(row) && isPhoneNumber(row.dst)

const peerOf = ({ sourced: { cdr } }: UnresolvedVersion): string => cdr.dialledPeer ?? ''

const nameOfChannel = ({ sourced: { source, cdr }, row }: UnresolvedVersion): string =>
  JSON.stringify([source, cdr.uniqueid, row.dst])

/** Asterisk rounds start and length of a CDR to seconds, each by itself. */
const MAX_ROUNDING_SECONDS = 1

/** The CDR is of a call to a peer, and ends where one of the same channel begins that called the number itself. */
function goesOn(version: UnresolvedVersion, some: readonly UnresolvedVersion[]): boolean {
  if (peerOf(version) === '') return false
  const end = version.row.calldate + version.row.duration
  const isNext = (other: UnresolvedVersion) => Math.abs(other.row.calldate - end) <= MAX_ROUNDING_SECONDS
  return some.some((other) => calledNumber(other) && isNext(other))
}

/** A CDR of two calls that a transfer joined has the number of one of them. */
const calledNumber = ({ sourced: { cdr } }: UnresolvedVersion): boolean =>
  cdr.dialledPeer === undefined && cdr.transferred === undefined
