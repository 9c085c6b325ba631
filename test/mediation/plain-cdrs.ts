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

/** Numbers that begin like this have no rate. */
export const UNRATED = '49'

const ANSWERED = 16

export const isAnsweredPlain = ({ cause }: PlainCdr): boolean => cause === ANSWERED

export const isPlainCdr = (plain: Plain): plain is PlainCdr => plain.kind === 'cdr'
export const isEvent = (plain: Plain): plain is PlainEvent => plain.kind === 'event'
export const isGarbage = (plain: Plain): plain is Garbage => plain.kind === 'garbage'

/** The same for the same CDR, and for no other one. */
export const plainName = (plain: Plain): string =>
  isPlainCdr(plain) ? `${plainIdentity(plain)} ${plainContent(plain)}` : JSON.stringify(plain)

export const plainContent = ({ start, src, dst, duration, billsec, cause, account }: PlainCdr): string =>
  JSON.stringify([start, src, dst, duration, billsec, cause, account])

export const plainIdentity = (cdr: PlainCdr): string =>
  JSON.stringify([cdr.source, cdr.uniqueid === '' ? plainContent(cdr) : cdr.uniqueid, cdr.part ?? ''])

export const plainCallName = ({ start, src, dst }: PlainCdr): string => JSON.stringify([start, src, dst])

export const isRated = ({ dst, billsec }: PlainCdr): boolean => billsec === 0 || !dst.startsWith(UNRATED)

const DIALOG = { source: PROXY, src: '37060000009', dst: '442079460009' } as const

export const callOfEvent = ({ dialog, tells, at, account }: PlainEvent, seconds: number): PlainCdr => ({
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

export const identityOfPlainDialog = (dialog: string): string =>
  plainIdentity(callOfEvent({ kind: 'event', dialog, tells: 'failed', at: 0, account: '' }, 0))

const kindOf = ({ uniqueid, part = '' }: PlainCdr): string => {
  if (uniqueid === '') return 'content'
  return part === '' ? 'id' : 'part'
}

/** Tells whether one answered call is written twice, under identities of two kinds. */
function isSameCallOfOtherKind(one: PlainCdr, other: PlainCdr): boolean {
  const isSameId = one.uniqueid === other.uniqueid || [one.uniqueid, other.uniqueid].includes('')
  const [callText, otherText] = [one, other].map(({ source, start, src, dst, billsec, account }) =>
    JSON.stringify([source, start, src, dst, billsec, account]),
  )
  return kindOf(one) !== kindOf(other) && isSameId && callText === otherText
}

/** Tells whether two sources write one answered call without a unique id. */
const isOfTwoSources = (one: PlainCdr, other: PlainCdr): boolean =>
  one.uniqueid + other.uniqueid === '' &&
  one.source !== other.source &&
  plainContent(one) === plainContent(other)

/** The answered CDRs that repeat a stored call, or one before them, under an identity of another kind. */
export function repeatsOfOtherKind(
  cdrs: readonly PlainCdr[],
  stored: readonly (readonly [name: string, cdr: PlainCdr])[],
): ReadonlySet<PlainCdr> {
  const calls = [...stored]
  const repeats = new Set<PlainCdr>()
  for (const cdr of cdrs.filter(isAnsweredPlain)) {
    const own = calls.find(([name, call]) => name === plainIdentity(cdr) && call.start === cdr.start)
    const isStored = own?.[1].account === cdr.account
    const isRepeated = calls.some(
      ([, call]) => isAnsweredPlain(call) && (isSameCallOfOtherKind(call, cdr) || isOfTwoSources(call, cdr)),
    )
    if (isRepeated && !isStored) repeats.add(cdr)
    else calls.push([plainIdentity(cdr), cdr])
  }
  return repeats
}

/** The refusals of an answer. */
export function latePlains(versions: readonly PlainCdr[]): readonly PlainCdr[] {
  const first = versions.findIndex(isAnsweredPlain)
  return versions.filter((version, index) => first >= 0 && index > first && !isAnsweredPlain(version))
}
