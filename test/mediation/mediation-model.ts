import {
  callOfEvent,
  identityOfPlainDialog,
  isAnsweredPlain,
  isEvent,
  isGarbage,
  isPlainCdr,
  isRated,
  latePlains,
  type Plain,
  type PlainCdr,
  type PlainEvent,
  PROXY,
  plainCallName,
  plainContent,
  plainIdentity,
  plainName,
  repeatsOfOtherKind,
} from './plain-cdrs.ts'

interface StoredCdr {
  readonly cdr: PlainCdr
  readonly contents: readonly string[]
  /** When the CDR came first, as a number that goes up; absent for a call of dialog events. */
  readonly arrival: number | undefined
}

interface SuspendedPlain {
  readonly plain: Plain
  readonly reason: string
  readonly arrival: number
}

type Refusals = Map<string, string>

const HOURS_24 = 86_400
const KEPT_CONTENTS = 8

/**
 * The right outcome of mediation (wire.md 7.4), by plain maps and plain JSON: no code in common with
 * lib/cdrs. One delivery follows the other.
 */
export class MediationModel {
  readonly calls = new Map<string, StoredCdr>()
  readonly suspended = new Map<string, SuspendedPlain>()
  readonly pending = new Map<string, PlainEvent>()
  readonly accounts: Set<string>
  /** When each CDR came that is mediated now. */
  private arrivals: ReadonlyMap<Plain, number> = new Map()
  private isRetry = false
  /** When each pending event came. */
  private readonly arrivedAt = new Map<string, number>()
  private arrived = 0
  readonly counts = { cdrs: 0, duplicates: 0, corrections: 0, suspended: 0 }

  constructor(accounts: Iterable<string>) {
    this.accounts = new Set(accounts)
  }

  /** One or several documents that arrive together. */
  deliver(all: readonly Plain[], now: number): void {
    this.counts.cdrs += all.length
    this.arrivals = new Map(all.map((plain) => [plain, this.nextArrival()]))
    this.isRetry = false
    this.mediate(all, now)
  }

  private nextArrival(): number {
    return ++this.arrived
  }

  /** The suspended CDRs once more, oldest first. */
  retry(isMeant: (reason: string) => boolean, now: number): void {
    const meant = [...this.suspended.values()]
      .filter(({ reason }) => isMeant(reason))
      .sort((one, other) => one.arrival - other.arrival)
    this.arrivals = new Map(meant.map(({ plain, arrival }) => [plain, arrival]))
    this.isRetry = true
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
    const repeated = this.repeatedCdrs(all.filter(isPlainCdr))
    for (const cdr of repeated) refusals.set(plainName(cdr), 'possible_duplicate')
    const cdrs = all.filter(isPlainCdr).filter((cdr) => !repeated.has(cdr))
    for (const versions of Map.groupBy(cdrs, plainIdentity).values()) this.takeCall(versions, refusals)
    const known = new Map<string, Plain>(all.toReversed().map((plain) => [plainName(plain), plain]))
    for (const events of Map.groupBy(all.filter(isEvent), ({ dialog }) => dialog).values()) {
      this.takeDialog(events, now, refusals)
    }
    for (const name of known.keys()) if (!refusals.has(name)) this.suspended.delete(name)
    this.suspend(refusals, new Map([...this.pending, ...known]))
    for (const name of refusals.keys()) this.pending.delete(name)
  }

  private repeatedCdrs(cdrs: readonly PlainCdr[]): ReadonlySet<PlainCdr> {
    const rated = cdrs.filter((cdr) => cdr.billsec <= cdr.duration && this.accounts.has(cdr.account))
    return repeatsOfOtherKind(
      rated,
      [...this.calls].map(([name, { cdr }]) => [name, cdr]),
    )
  }

  private suspend(refusals: Refusals, known: ReadonlyMap<string, Plain>): void {
    for (const [name, plain] of known) {
      const reason = refusals.get(name)
      if (reason === undefined) continue
      if (!this.suspended.has(name)) this.counts.suspended += 1
      const arrival = this.suspended.get(name)?.arrival ?? this.arrivals.get(plain) ?? this.nextArrival()
      this.suspended.set(name, { plain, reason, arrival })
    }
  }

  /** The CDRs of one identity. */
  private takeCall(cdrs: readonly PlainCdr[], refusals: Refusals, name = plainIdentity(firstOf(cdrs))): void {
    const open = [...this.sift(cdrs, this.calls.get(name), refusals)]
    const before = this.noteEarlier(cdrs, name)
    const calls = [...Map.groupBy(open, plainCallName).values()]
    const stored = calls.find((versions) => this.storeLast(versions, before, refusals, name))
    for (const others of calls.slice(calls.indexOf(stored ?? []) + 1)) {
      for (const other of stored ? others : []) refusals.set(plainName(other), 'id_used')
    }
    this.takeOtherCalls(before ? cdrs : open, refusals, name)
  }

  /** The stored call remembers the earlier versions that are retried only now. */
  private noteEarlier(cdrs: readonly PlainCdr[], name: string): StoredCdr | undefined {
    const before = this.calls.get(name)
    if (!before) return undefined
    const earlier = new Set(cdrs.filter((cdr) => this.isEarlier(cdr, before)).map(plainContent))
    const contents = [...earlier, ...before.contents.filter((one) => !earlier.has(one))].slice(-KEPT_CONTENTS)
    if (earlier.size > 0) this.calls.set(name, { ...before, contents })
    return this.calls.get(name)
  }

  /** A version that is retried came before the stored one, and is not its answer. */
  private isEarlier(cdr: PlainCdr, before: StoredCdr): boolean {
    const arrival = this.arrivals.get(cdr)
    if (!this.isRetry || arrival === undefined || before.arrival === undefined) return false
    const isSame =
      plainCallName(before.cdr) === plainCallName(cdr) && isAnsweredPlain(before.cdr) === isAnsweredPlain(cdr)
    return (
      isSame &&
      arrival < before.arrival &&
      cdr.billsec <= cdr.duration &&
      !before.contents.includes(plainContent(cdr))
    )
  }

  /**
   * A channel makes several calls under one id. Of the same CDR in a format with channels and in one without,
   * the first refusal stays.
   */
  private takeOtherCalls(cdrs: readonly PlainCdr[], refusals: Refusals, name: string): void {
    if (cdrs.some((cdr) => name !== plainIdentity(cdr))) return
    const used = cdrs.filter((cdr) => refusals.get(plainName(cdr)) === 'id_used')
    const others = used.filter(({ ofChannel }) => ofChannel)
    for (const other of others) refusals.delete(plainName(other))
    for (const [call, versions] of Map.groupBy(others, plainCallName)) {
      this.takeCall(versions, refusals, `${name} ${call}`)
    }
    const reasons = new Map(refusals)
    for (const cdr of used.toReversed()) {
      const name = plainName(cdr)
      const reason = cdr.ofChannel ? reasons.get(name) : 'id_used'
      if (reason !== undefined) refusals.set(name, reason)
    }
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
      if (reason === 'duplicate' || open.has(plainContent(cdr))) this.counts.duplicates += 1
      else if (reason === undefined) open.set(plainContent(cdr), cdr)
      else if (reason !== 'skipped') refusals.set(plainName(cdr), reason)
    }
    return open.values()
  }

  private obstacle(cdr: PlainCdr, before: StoredCdr | undefined): string | undefined {
    if (cdr.billsec > cdr.duration) return 'billed_exceeds_duration'
    const beside = before && this.obstacleBeside(before, cdr)
    if (beside !== undefined || this.accounts.has(cdr.account)) return beside
    return isAnsweredPlain(cdr) ? 'unknown_account' : 'skipped'
  }

  private obstacleBeside(before: StoredCdr, cdr: PlainCdr): string | undefined {
    if (before.contents.includes(plainContent(cdr))) return 'duplicate'
    if (cdr.source !== PROXY && plainCallName(before.cdr) !== plainCallName(cdr)) return 'id_used'
    if (isAnsweredPlain(before.cdr) && !isAnsweredPlain(cdr)) return lateReason(cdr)
    return this.isEarlier(cdr, before) ? 'duplicate' : undefined
  }

  /** The last ratable plainContent corrects earlier ones, but an answered one outlives a later refusal. */
  private storeLast(
    versions: readonly PlainCdr[],
    before: StoredCdr | undefined,
    refusals: Refusals,
    name: string,
  ): boolean {
    const late = latePlains(versions)
    const timely = versions.filter((version) => !late.includes(version))
    const tried = timely.some(isRated) ? timely : [...late, ...timely]
    const last = tried.findLastIndex(isRated)
    for (const version of tried.slice(last + 1)) refusals.set(plainName(version), 'unknown_rate')
    const cdr = tried[last]
    if (!cdr) return false
    const told = tried === timely ? late.filter(({ ofChannel }) => !ofChannel) : []
    for (const version of told) refusals.set(plainName(version), lateReason(version))
    const contents = [...(before?.contents ?? []), ...tried.slice(0, last + 1).map(plainContent)]
    this.calls.set(name, { cdr, contents: contents.slice(-KEPT_CONTENTS), arrival: this.arrivals.get(cdr) })
    this.counts.corrections += before ? last + 1 : last
    return true
  }

  private takeDialog(events: readonly PlainEvent[], now: number, refusals: Refusals): void {
    const { dialog } = firstOf(events)
    const stored = this.calls.get(identityOfPlainDialog(dialog))
    if (stored && events.every((event) => isDone(stored.cdr, event))) this.counts.duplicates += events.length
    else for (const event of events) this.note(event, now)
    this.correlate(dialog, now, refusals)
  }

  /** An event is pending. One that is retried has waited since it happened. */
  private note(event: PlainEvent, now: number): void {
    this.pending.set(plainName(event), event)
    this.arrivedAt.set(plainName(event), this.isRetry ? event.at : now)
  }

  /** The call that the pending events of a dialog make. */
  private correlate(dialog: string, now: number, refusals: Refusals): void {
    const events = [...this.pending.values()].filter((event) => event.dialog === dialog)
    const [answered, first, failed] = (['answered', 'ended', 'failed'] as const).map((tells) =>
      events
        .filter((event) => event.tells === tells)
        .sort((one, other) => one.at - other.at)
        .at(0),
    )
    const isAfterAnswer = ({ tells, at }: PlainEvent) => tells === 'ended' && at >= (answered?.at ?? 0) - 1
    const ended = answered ? events.filter(isAfterAnswer).sort((one, other) => one.at - other.at)[0] : first
    const refuse = (reason: string) => {
      for (const event of events) refusals.set(plainName(event), reason)
    }
    const isOver = (event: PlainEvent) => now - (this.arrivedAt.get(plainName(event)) ?? event.at) > HOURS_24
    if (answered && ended) {
      this.storeDialog(callOfEvent(answered, Math.max(0, ended.at - answered.at)), events, refuse)
    } else if (answered && first) refuse('impossible_time')
    else if (answered) isOver(answered) && refuse('no_end')
    else if (failed) this.storeDialog(callOfEvent(failed, 0), events, refuse)
    else if (ended && isOver(ended)) this.endWithoutStart(dialog, events, refuse)
  }

  /** A BYE of a refused call ended it before its answer. */
  private endWithoutStart(
    dialog: string,
    events: readonly PlainEvent[],
    refuse: (reason: string) => void,
  ): void {
    if (!this.calls.has(identityOfPlainDialog(dialog))) refuse('no_start')
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

/** Why a refusal does not replace an answered call. */
const lateReason = ({ ofChannel }: PlainCdr): string => (ofChannel ? 'skipped' : 'already_answered')

/** A refusal leaves the events of an answered call open. */
const isDone = (cdr: PlainCdr, { tells }: PlainEvent): boolean => isAnsweredPlain(cdr) || tells === 'failed'

function firstOf<T>(list: readonly T[]): T {
  const [first] = list
  if (first === undefined) throw new Error('A group is never empty')
  return first
}
