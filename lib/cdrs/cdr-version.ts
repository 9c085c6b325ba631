import { BLANK_CALL, type CallRow } from '#lib/calls/call.ts'
import type { Cdr, Problem } from './formats/cdr.ts'
import { contentDigest, identityOf, storableNumber } from './mediation.ts'

/** A CDR on its way to a stored call: one of the versions of the call. */
export interface CdrVersion {
  /** The operator's name of the switch. */
  readonly source: string
  /** It stays the same object, whatever becomes of the version: outcomes are found by it. */
  readonly cdr: Cdr
  /**
   * What the unique id of the CDR names: one call, until the switch begins its numbering again; a channel,
   * which may make several calls; or a SIP dialog, whose call may be refused first and answered later.
   */
  readonly idNames: 'call' | 'channel' | 'dialog'
  /** It was suspended, and is mediated again: its price is that of its start. */
  readonly isRetried?: boolean | undefined
  /** Its switch may write the same call under an identity of another kind, by another configuration. */
  readonly hasIdentityKind?: boolean
  /** When it came first, in the order of suspense; absent for the CDR that dialog events make. */
  readonly arrival?: string | undefined
  /** The CDR of the leg alone, before the call's other legs added to it. If it returns, it is a duplicate. */
  readonly leg?: Cdr | undefined
  /** The digest of the content. It tells a duplicate from a correction. */
  readonly content: string
  /** The columns that the CDR gives: customer and provider are not resolved. */
  readonly row: CallRow
  /** The row with customer and provider, or the reason why the call cannot be stored. */
  readonly resolved: CallRow | Problem
  /** It has the identity of a linked call, whose start and calling number may be others. */
  readonly isOfLinkedCall?: boolean
}

/** A version whose customer and provider are known. */
export interface ResolvedVersion extends CdrVersion {
  readonly resolved: CallRow
}

type CdrAsItCame = Pick<
  CdrVersion,
  'source' | 'cdr' | 'idNames' | 'isRetried' | 'hasIdentityKind' | 'arrival' | 'leg'
>

/** A version before account resolution. */
export function newVersion(came: CdrAsItCame): CdrVersion {
  const { source, cdr } = came
  const content = contentDigest(cdr)
  const { start, disposition, duration, billsec, hangupcause } = cdr
  const [src, dst] = [storableNumber(cdr.src), storableNumber(cdr.dst)]
  const columns = { calldate: start, src, dst, disposition, duration, billsec, hangupcause }
  const numbers = { dialled_dst: optionalNumber(cdr.dialledDst), carrier_dst: optionalNumber(cdr.carrierDst) }
  const row = { ...BLANK_CALL, user_id: 0, ...identityOf(source, cdr, content), ...columns, ...numbers }
  return { ...came, content, row, resolved: NOT_RESOLVED }
}

const optionalNumber = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : storableNumber(text)

const NOT_RESOLVED: Problem = { reason: 'unknown_account', detail: 'its account was not looked up' }

export const isResolved = (version: CdrVersion): version is ResolvedVersion => !('reason' in version.resolved)

export const isAnswered = ({ disposition, billsec }: Pick<CallRow, 'disposition' | 'billsec'>): boolean =>
  disposition === 'ANSWERED' || billsec > 0

/** The answered versions whose customer and provider are known. */
export const answeredAmong = (versions: readonly CdrVersion[]): ResolvedVersion[] =>
  versions.filter(isResolved).filter(({ row }) => isAnswered(row))

/** The version with other columns, which do not change its customer and provider. */
export const withColumns = <V extends CdrVersion>(version: V, columns: Partial<CallRow>): V => ({
  ...version,
  row: { ...version.row, ...columns },
  resolved: isResolved(version) ? { ...version.resolved, ...columns } : version.resolved,
})
