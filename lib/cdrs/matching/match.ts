import type { Cdr } from '../formats/cdr.ts'
import type { CdrVersion, Mediation, MediationOutcome } from '../mediation.ts'
import { asStoredLinkedCalls, findRepeats, isLinked, noteLinked, takeBackLinkedCalls } from './linked-cdrs.ts'
import { findTransferred } from './transferred-calls.ts'

// Which CDRs are one call. CDRs of one identity are versions of a call (decide-cdrs.ts). The rules here find
// CDRs of one call under several identities.

export type CdrOutcomes = ReadonlyMap<Cdr, MediationOutcome>

/** CDRs that are still to be stored, and the outcomes of the others. */
export interface Matched {
  readonly open: readonly CdrVersion[]
  readonly outcomes: CdrOutcomes
}

/** CDRs whose calls are found in one way. */
interface Group {
  readonly versions: readonly CdrVersion[]
  /** Compares them with the stored calls, before they are written. */
  match(mediation: Mediation, versions: readonly CdrVersion[]): Promise<Matched>
  /** Compares the stored ones with the stored calls once more, and takes back what repeats a call. */
  lookAgain(mediation: Mediation, stored: readonly CdrVersion[]): Promise<CdrOutcomes>
}

/**
 * The groups of these CDRs in the order in which they are stored: CDRs of first channels, then linked CDRs,
 * which may repeat them, then the rests of transferred calls, which continue calls of the first two.
 */
export async function groupsOf(
  mediation: Mediation,
  versions: readonly CdrVersion[],
): Promise<{ readonly outcomes: CdrOutcomes; readonly groups: readonly Group[] }> {
  const { continued, unknown, others } = await findTransferred(mediation, versions)
  return {
    outcomes: unknown,
    groups: [
      { ...FIRST_CHANNELS, versions: others.filter((version) => !isLinked(version)) },
      { ...LINKED, versions: others.filter(isLinked) },
      { ...RESTS, versions: continued },
    ],
  }
}

type WayToMatch = Omit<Group, 'versions'>

const NO_OUTCOMES: CdrOutcomes = new Map()

/** A CDR of a first channel is the call of the linked CDRs that were stored before it. */
const FIRST_CHANNELS: WayToMatch = {
  match: async (mediation, versions) => ({
    open: await asStoredLinkedCalls(mediation, versions),
    outcomes: NO_OUTCOMES,
  }),
  lookAgain: async (mediation, stored) => {
    await takeBackLinkedCalls(mediation, stored)
    return NO_OUTCOMES
  },
}

/** A linked CDR that repeats a call is skipped. Others are noted before storing, for concurrent ones. */
const LINKED: WayToMatch = {
  match: async (mediation, versions) => {
    const repeats = await findRepeats(mediation, versions)
    const open = versions.filter(({ cdr }) => !repeats.has(cdr))
    await noteLinked(mediation, open)
    return { open, outcomes: asSkipped(repeats) }
  },
  lookAgain: async (mediation, stored) => asSkipped(await findRepeats(mediation, stored)),
}

const RESTS: WayToMatch = {
  match: async (_, versions) => ({ open: versions, outcomes: NO_OUTCOMES }),
  lookAgain: async () => NO_OUTCOMES,
}

const asSkipped = (cdrs: ReadonlySet<Cdr>): CdrOutcomes =>
  new Map(Array.from(cdrs, (cdr) => [cdr, 'skipped'] as const))
