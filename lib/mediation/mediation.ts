import { createHash } from 'node:crypto'
import { type Seconds, secondsOf } from '#lib/domain/calendar.ts'
import { oncePerObject } from '#lib/domain/collections.ts'
import { readSettings, type Settings } from '#lib/domain/settings.ts'
import type { CarrierHints, Cdr, CdrDocument, Found, ParsedCdr, Problem } from '#lib/mediation/formats/cdr.ts'
import type { CallIdentity } from '#lib/store/calls/call.ts'
import { findSettings } from '#lib/store/installation/settings.ts'
import type { Store } from '#lib/store/store.ts'

/** The installation that CDRs are mediated for, as it is now. */
export interface Mediation {
  readonly store: Store
  readonly settings: Settings
  readonly now: Seconds
}

export async function openMediation(store: Store, now: Date): Promise<Mediation> {
  return { store, settings: readSettings(await findSettings(store)), now: secondsOf(now) }
}

/** A part of a document on its way, with what is needed to read it again. */
export interface Part extends ParsedCdr {
  readonly document: CdrDocument
  /** Its number among the parts that arrived together. */
  readonly order?: number | undefined
}

export type PartOf<K extends Found['kind']> = Part & { readonly found: Extract<Found, { readonly kind: K }> }

/**
 * The outcome of a CDR: stored for the first time, stored before, in place of what was stored, a dialog event that waits for
 * its counterpart, or deliberately ignored; suspended already, or the reason why it is to be suspended.
 */
export type Outcome = 'stored' | 'duplicate' | 'corrected' | 'pending' | 'skipped' | 'suspended' | Problem

/**
 * A digest of what a CDR says of its call and its parties, in 22 characters. It is the same in every format and with
 * every order of columns: of two CDRs of one identity it tells a duplicate from a correction.
 */
export const contentDigest = oncePerObject((cdr: Cdr): string =>
  createHash('sha256').update(contentOf(cdr)).digest('base64url').slice(0, 22),
)

const contentOf = ({ party, provider, start, src, dst, duration, billsec, disposition, hangupcause }: Cdr) =>
  JSON.stringify([
    start,
    src,
    dst,
    duration,
    billsec,
    disposition,
    hangupcause,
    [party.accountCode, party.device, party.sipUser, party.did, party.ip],
    carrierOf(provider.out),
    carrierOf(provider.in),
  ])

const carrierOf = ({ names, addresses, channels }: CarrierHints) => [names, addresses, channels]

/** The form of a unique id that can be stored. */
const STORABLE = /^[!-~]{1,150}$/

/**
 * The identity of a call: switch, unique id and part. Where the switch gives no unique id, or one that cannot be stored,
 * `content` makes one: the same call always gets the same.
 */
export const identityOf = (source: string, { uniqueid, part }: Cdr, content: string): CallIdentity => ({
  source,
  uniqueid: storableId(uniqueid, `${source}\0${content}`),
  source_part: part === '' ? undefined : part,
})

/** The unique id as it is, or one made of the text that stands for the call. */
export const storableId = (uniqueid: string, text: string): string =>
  STORABLE.test(uniqueid) ? uniqueid : `made-${hexDigest(text).slice(0, 32)}`

export const hexDigest = (text: string): string => createHash('sha256').update(text).digest('hex')
