/** A CDR as a switch means it, whatever the format it is written in. */
export interface PlainCdr {
  readonly kind: 'cdr'
  readonly source: string
  /** Blank where the switch gives none. */
  readonly uniqueid: string
  readonly part?: string
  readonly start: number
  readonly src: string
  readonly dst: string
  readonly duration: number
  readonly billsec: number
  /** A cause of Q.850. */
  readonly cause: number
  readonly account: string
  /** Its id names a channel of Asterisk, which may make several calls. */
  readonly ofChannel?: boolean
}

export interface PlainEvent {
  readonly kind: 'event'
  readonly dialog: string
  readonly tells: 'answered' | 'failed' | 'ended'
  readonly at: number
  readonly account: string
}

/** A line that is no CDR. */
export interface Garbage {
  readonly kind: 'garbage'
  readonly source: string
  readonly format: string
  readonly text: string
}

export type Plain = PlainCdr | PlainEvent | Garbage

/** The proxy that reports the dialog events of the model. */
export const PROXY = 'sip1'

interface StoredCdr {
  readonly cdr: PlainCdr
  readonly contents: readonly string[]
}

type Refusals = Map<string, string>

const HOURS_24 = 86_400
const KEPT_CONTENTS = 8

/** Numbers that begin like this have no rate. */
export const UNRATED = '49'

/**
 * The right outcome of mediation (wire.md 7.4), by plain maps and plain JSON: no code in common with lib/mediation. One
 * delivery follows the other.
 */
export class MediationModel {
  readonly calls = new Map<string, StoredCdr>()
  readonly suspended = new Map<string, { readonly plain: Plain; readonly reason: string }>()
  readonly pending = new Map<string, PlainEvent>()
  readonly accounts: Set<string>
  readonly counts = { cdrs: 0, duplicates: 0, corrections: 0, suspended: 0 }

  constructor(accounts: Iterable<string>) {
    this.accounts = new Set(accounts)
  }

  /** One or several documents that arrive together. */
  deliver(all: readonly Plain[], now: number): void {
    this.counts.cdrs += all.length
    this.mediate(all, now)
  }

  /** The suspended CDRs once more, oldest first. */
  retry(isMeant: (reason: string) => boolean, now: number): void {
    const meant = [...this.suspended.values()].filter(({ reason }) => isMeant(reason))
    this.mediate(
      meant.map(({ plain }) => plain),
      now,
    )
  }

  /** Dialog events that have been pending too long are suspended. */
  suspendOverdue(now: number): void {
    const refusals: Refusals = new Map()
    for (const dialog of new Set([...this.pending.values()].map((event) => event.dialog))) {
      this.correlate(dialog, now, refusals)
    }
    this.suspend(refusals, this.pending)
    for (const name of refusals.keys()) this.pending.delete(name)
  }

  private mediate(all: readonly Plain[], now: number): void {
    const refusals: Refusals = new Map()
    for (const garbage of all.filter(isGarbage)) refusals.set(plainName(garbage), 'unreadable')
    for (const cdrs of grouped(all.filter(isCdr), identity).values()) this.takeCall(cdrs, refusals)
    const known = new Map<string, Plain>(all.toReversed().map((plain) => [plainName(plain), plain]))
    for (const events of grouped(all.filter(isEvent), ({ dialog }) => dialog).values()) {
      this.takeDialog(events, now, refusals)
    }
    for (const name of known.keys()) if (!refusals.has(name)) this.suspended.delete(name)
    this.suspend(refusals, new Map([...this.pending, ...known]))
    for (const name of refusals.keys()) this.pending.delete(name)
  }

  private suspend(refusals: Refusals, known: ReadonlyMap<string, Plain>): void {
    for (const [name, plain] of known) {
      const reason = refusals.get(name)
      if (reason === undefined) continue
      if (!this.suspended.has(name)) this.counts.suspended += 1
      this.suspended.set(name, { plain, reason })
    }
  }

  /** The CDRs of one identity. */
  private takeCall(cdrs: readonly PlainCdr[], refusals: Refusals, name = identity(firstOf(cdrs))): void {
    const before = this.calls.get(name)
    const calls = [...grouped(this.sift(cdrs, before, refusals), sameCall).values()]
    const stored = calls.find((versions) => this.storeLast(versions, before, refusals, name))
    for (const others of calls.slice(calls.indexOf(stored ?? []) + 1)) {
      for (const other of stored ? others : []) refusals.set(plainName(other), 'id_used')
    }
    this.takeOtherCalls(cdrs, refusals, name)
  }

  /** A channel makes several calls under one id. The same CDR in a format without channels stays refused. */
  private takeOtherCalls(cdrs: readonly PlainCdr[], refusals: Refusals, name: string): void {
    if (name !== identity(firstOf(cdrs))) return
    const used = cdrs.filter((cdr) => refusals.get(plainName(cdr)) === 'id_used')
    const others = used.filter(({ ofChannel }) => ofChannel)
    for (const other of others) refusals.delete(plainName(other))
    for (const [call, versions] of grouped(others, sameCall)) {
      this.takeCall(versions, refusals, `${name} ${call}`)
    }
    for (const cdr of used) if (!cdr.ofChannel) refusals.set(plainName(cdr), 'id_used')
  }

  /** The CDRs that are neither duplicates nor refused for themselves. */
  private sift(
    cdrs: readonly PlainCdr[],
    before: StoredCdr | undefined,
    refusals: Refusals,
  ): Iterable<PlainCdr> {
    const open = new Map<string, PlainCdr>()
    for (const cdr of cdrs) {
      const reason = this.obstacle(cdr, before)
      if (reason === 'duplicate' || open.has(content(cdr))) this.counts.duplicates += 1
      else if (reason === undefined) open.set(content(cdr), cdr)
      else if (reason !== 'skipped') refusals.set(plainName(cdr), reason)
    }
    return open.values()
  }

  private obstacle(cdr: PlainCdr, before: StoredCdr | undefined): string | undefined {
    if (cdr.billsec > cdr.duration) return 'billed_exceeds_duration'
    if (before?.contents.includes(content(cdr))) return 'duplicate'
    if (before && cdr.source !== PROXY && sameCall(before.cdr) !== sameCall(cdr)) return 'id_used'
    if (before && before.cdr.cause === ANSWERED && cdr.cause !== ANSWERED) return lateReason(cdr)
    return this.accounts.has(cdr.account) ? undefined : 'unknown_account'
  }

  /** The last content that can be rated corrects those before it. An answered one is preferred to a later refusal. */
  private storeLast(
    versions: readonly PlainCdr[],
    before: StoredCdr | undefined,
    refusals: Refusals,
    name: string,
  ): boolean {
    const late = lateRefusals(versions)
    const timely = versions.filter((version) => !late.includes(version))
    const tried = timely.some(isRated) ? timely : [...late, ...timely]
    const last = tried.findLastIndex(isRated)
    for (const version of tried.slice(last + 1)) refusals.set(plainName(version), 'unknown_rate')
    const cdr = tried[last]
    if (!cdr) return false
    const told = tried === timely ? late.filter(({ ofChannel }) => !ofChannel) : []
    for (const version of told) refusals.set(plainName(version), lateReason(version))
    const contents = [...(before?.contents ?? []), ...tried.slice(0, last + 1).map(content)]
    this.calls.set(name, { cdr, contents: contents.slice(-KEPT_CONTENTS) })
    this.counts.corrections += before ? last + 1 : last
    return true
  }

  private takeDialog(events: readonly PlainEvent[], now: number, refusals: Refusals): void {
    const { dialog } = firstOf(events)
    const stored = this.calls.get(identityOfDialog(dialog))
    if (stored && events.every((event) => isDone(stored.cdr, event))) this.counts.duplicates += events.length
    else for (const event of events) this.pending.set(plainName(event), event)
    this.correlate(dialog, now, refusals)
  }

  /** The call that the pending events of a dialog make. */
  private correlate(dialog: string, now: number, refusals: Refusals): void {
    const events = [...this.pending.values()].filter((event) => event.dialog === dialog)
    const [answered, ended, failed] = (['answered', 'ended', 'failed'] as const).map((tells) =>
      events
        .filter((event) => event.tells === tells)
        .sort((one, other) => one.at - other.at)
        .at(0),
    )
    const refuse = (reason: string) => {
      for (const event of events) refusals.set(plainName(event), reason)
    }
    const isOver = ({ at }: PlainEvent) => now - at > HOURS_24
    if (answered && ended) {
      this.storeDialog(callOf(answered, Math.max(0, ended.at - answered.at)), events, refuse)
    } else if (answered) isOver(answered) && refuse('no_end')
    else if (failed) this.storeDialog(callOf(failed, 0), events, refuse)
    else if (ended && isOver(ended)) this.endWithoutStart(dialog, events, refuse)
  }

  /** A BYE of a refused call ended it before its answer. */
  private endWithoutStart(
    dialog: string,
    events: readonly PlainEvent[],
    refuse: (reason: string) => void,
  ): void {
    if (!this.calls.has(identityOfDialog(dialog))) refuse('no_start')
    else for (const event of events) this.pending.delete(plainName(event))
  }

  private storeDialog(cdr: PlainCdr, events: readonly PlainEvent[], refuse: (reason: string) => void): void {
    const refusals: Refusals = new Map()
    this.takeCall([cdr], refusals)
    const [reason] = refusals.values()
    if (reason !== undefined) refuse(reason)
    else for (const event of events) if (isDone(cdr, event)) this.pending.delete(plainName(event))
  }
}

const ANSWERED = 16

/** The refusals behind an answer. */
function lateRefusals(versions: readonly PlainCdr[]): readonly PlainCdr[] {
  const first = versions.findIndex(({ cause }) => cause === ANSWERED)
  return versions.filter(({ cause }, index) => first >= 0 && index > first && cause !== ANSWERED)
}

/** Why a refusal does not replace an answered call. */
const lateReason = ({ ofChannel }: PlainCdr): string => (ofChannel ? 'skipped' : 'already_answered')

/** A refusal leaves the events of an answered call open. */
const isDone = ({ cause }: PlainCdr, { tells }: PlainEvent): boolean =>
  cause === ANSWERED || tells === 'failed'

const isCdr = (plain: Plain): plain is PlainCdr => plain.kind === 'cdr'
const isEvent = (plain: Plain): plain is PlainEvent => plain.kind === 'event'
const isGarbage = (plain: Plain): plain is Garbage => plain.kind === 'garbage'

/** The same for the same CDR, and for no other one. */
export const plainName = (plain: Plain): string =>
  isCdr(plain) ? `${identity(plain)} ${content(plain)}` : JSON.stringify(plain)

const content = ({ start, src, dst, duration, billsec, cause, account }: PlainCdr): string =>
  JSON.stringify([start, src, dst, duration, billsec, cause, account])

const identity = (cdr: PlainCdr): string =>
  JSON.stringify([cdr.source, cdr.uniqueid === '' ? content(cdr) : cdr.uniqueid, cdr.part ?? ''])

const sameCall = ({ start, src, dst }: PlainCdr): string => JSON.stringify([start, src, dst])

export const isRated = ({ dst, billsec }: PlainCdr): boolean => billsec === 0 || !dst.startsWith(UNRATED)

const DIALOG = { source: PROXY, src: '37060000009', dst: '442079460009' } as const

const callOf = ({ dialog, tells, at, account }: PlainEvent, seconds: number): PlainCdr => ({
  kind: 'cdr',
  ...DIALOG,
  uniqueid: dialog,
  part: 'a b',
  start: at,
  duration: seconds,
  billsec: seconds,
  cause: tells === 'failed' ? 17 : 16,
  account,
})

const identityOfDialog = (dialog: string): string =>
  identity(callOf({ kind: 'event', dialog, tells: 'failed', at: 0, account: '' }, 0))

function grouped<T>(list: Iterable<T>, nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(nameOf(one), [...(groups.get(nameOf(one)) ?? []), one])
  return groups
}

function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('A group is never empty')
  return first
}
