import { findCallers } from '#lib/accounts/account.ts'
import { defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import {
  choiceInput,
  dayInput,
  optionalInput,
  pageKeyInput,
  refuseReversed,
  switchInput,
  textInput,
} from '#lib/acts/inputs.ts'
import { type Day, periodOfDays } from '#lib/base/calendar.ts'
import { Refusal } from '#lib/base/refusal.ts'
import { countOf } from '#lib/base/text.ts'
import { refusingArchived } from '#lib/table/call-archive.ts'
import { type Found, type PartyHints, REASONS } from '../formats/cdr.ts'
import { type MediationContext, openMediation } from '../mediation.ts'
import { resolveAccounts } from '../resolve.ts'
import {
  findSuspended,
  firstSeen,
  listSuspended,
  placeOf,
  removeSuspended,
  type SuspendedCdr,
  suspendedAfter,
} from '../suspense/suspense.ts'
import { switchInputs, switchWritesAs } from '../switches/switch-writing.ts'
import { partsOf } from './pipeline.ts'
import { documentsOf, enforceAgeLimits, retryEntries } from './retry.ts'

declare module '#lib/base/refusal.ts' {
  interface Refusals {
    readonly nothing_selected: Record<never, never>
    /** A person confirms that CDRs are dropped for good. */
    readonly drop: { readonly count: number }
    /** The archive that holds the day of a call is out of reach here. */
    readonly call_archived: Record<never, never>
  }
}

const selection = {
  reason: optionalInput(choiceInput(...REASONS)('only CDRs with this reason')),
  source: optionalInput(textInput('only CDRs of this switch')),
  account: optionalInput(textInput('only CDRs of this account, or with this unknown account code or device')),
  from: optionalInput(dayInput('only CDRs that were first suspended on this day or later')),
  till: optionalInput(dayInput('only CDRs that were first suspended on this day or earlier')),
}

const one = optionalInput(textInput('the id of one suspended CDR'))

const isPlace = (text: string): boolean => /^\d{12}#/.test(text)

/** CDRs that can be stored leave suspense. The others stay, with their present reason. */
export const retrySuspendedCdrs = defineAct({
  summary: 'Mediate suspended CDRs again, as an import of accounts or tariffs does',
  callers: ['admin'],
  input: {
    id: one,
    ...selection,
    ...switchInputs,
    after: optionalInput(pageKeyInput(isPlace)('go on after this place')),
  },
  run: async (context, { id, after, reason, source, account, from, till, ...described }) => {
    const { store, now, mostAtOnce } = context
    const filter = { reason, source, account, from, till }
    const writesAs = switchWritesAs(described)
    const mediation = await openMediation(store, now)
    periodIn(mediation, filter)
    const entry = id === undefined ? undefined : await suspendedNamed(context, id)
    const page =
      entry || mostAtOnce === undefined ? undefined : await pageOf(mediation, filter, after, mostAtOnce)
    const answer = { stored: 0, suspended: 0, next: page?.next ?? null }
    if (page?.entries.length === 0) return { answer }
    const named = entry ? `the suspended CDR ${entry.id}` : `suspended CDRs${reason ? ` (${reason})` : ''}`
    return {
      begins: `retries ${named}`,
      steps: async function* () {
        const chosen = entry ? [entry] : page?.entries
        const pages = chosen ? [chosen] : suspendedPages(mediation, filter)
        if (!chosen) await enforceAgeLimits(mediation)
        for await (const entries of pages) {
          const described = entries.map((one) => ({ ...one, ...writesAs }))
          const { stored, suspended } = await retryEntries(mediation, described).catch(
            refusingArchived(new Refusal('call_archived', {})),
          )
          answer.stored += stored
          answer.suspended += suspended
          yield retryReport(answer)
        }
        return { answer, did: `retried ${named}: ${retryReport(answer)}` }
      },
    }
  },
})

export const retryReport = ({
  stored,
  suspended,
}: {
  readonly stored: number
  readonly suspended: number
}): string => `${countOf(stored, 'CDR')} stored, ${suspended} still suspended`

/** The CDRs of a page, as many as a request has time for. */
async function pageOf(
  mediation: MediationContext,
  filter: SuspenseFilter,
  after: string | undefined,
  count: number,
) {
  const period = periodIn(mediation, filter)
  const found = await suspendedAfter(mediation.store, after ?? '', count)
  const last = found.length < count ? undefined : found.at(-1)
  const within = found.filter((one) => period.from <= firstSeen(one) && firstSeen(one) <= period.till)
  return { entries: await selectedOf(mediation, within, filter), next: last ? placeOf(last) : null }
}

export const dropSuspendedCdrs = defineAct({
  summary: 'Delete a suspended CDR, or all that the options select, permanently',
  callers: ['admin'],
  input: { id: one, ...selection, yes: switchInput('delete without asking') },
  run: async (context, { id, yes, ...filter }) => {
    if (id === undefined && Object.values(filter).every((one) => one === undefined))
      throw new Refusal('nothing_selected', {})
    const mediation = await openMediation(context.store, context.now)
    const entries =
      id === undefined
        ? (await Array.fromAsync(suspendedPages(mediation, filter))).flat()
        : [await suspendedNamed(context, id)]
    const answer = { id: id ?? null, dropped: entries.length }
    const [first] = entries
    if (!first) return { answer }
    if (!yes) throw new Refusal('drop', { count: entries.length })
    const named =
      id === undefined
        ? countOf(entries.length, 'suspended CDR')
        : `the suspended CDR ${id} (${first.reason})`
    return {
      begins: `dropped ${named}`,
      steps: async function* () {
        yield named
        await removeSuspended(context.store, entries)
        return { answer, did: `dropped ${named}` }
      },
    }
  },
})

/** The suspended CDR of an id. Throws Refusal. */
export async function suspendedNamed(
  { store }: Pick<ActContext, 'store'>,
  id: string,
): Promise<SuspendedCdr> {
  const entry = /^[0-9a-f]{24}$/.test(id) ? await findSuspended(store, id) : undefined
  if (!entry) throw new Refusal('unknown_name', { noun: 'suspended CDR', name: id }, 'id')
  return entry
}

/** Selects suspended CDRs; all of them if it is empty. */
export interface SuspenseFilter {
  readonly reason?: string | undefined
  readonly reasons?: readonly string[] | undefined
  readonly source?: string | undefined
  /** The username of the customer; or an unknown name in the CDRs, such as an account code. */
  readonly account?: string | undefined
  /** The days on which the CDRs were first suspended, `YYYY-MM-DD`, both included. */
  readonly from?: Day | undefined
  readonly till?: Day | undefined
}

/** The selected CDRs, oldest first, page by page. Throws Refusal for days in the wrong order. */
export async function* suspendedPages(
  mediation: MediationContext,
  filter: SuspenseFilter,
): AsyncGenerator<SuspendedCdr[]> {
  for await (const page of listSuspended(mediation.store, periodIn(mediation, filter)))
    yield await selectedOf(mediation, page, filter)
}

function periodIn({ settings: { Timezone } }: MediationContext, { from, till }: SuspenseFilter) {
  refuseReversed({ from, till })
  return periodOfDays({ from, till }, Timezone)
}

async function selectedOf(
  mediation: MediationContext,
  page: readonly SuspendedCdr[],
  { account, ...rest }: SuspenseFilter,
): Promise<SuspendedCdr[]> {
  const selected = page.filter((entry) => isSelected(entry, rest))
  return account === undefined ? selected : filterByAccount(mediation, selected, account)
}

const isSelected = (
  entry: SuspendedCdr,
  { reason, reasons, source }: Pick<SuspenseFilter, 'reason' | 'reasons' | 'source'>,
): boolean =>
  (reason === undefined || entry.reason === reason) &&
  (reasons === undefined || reasons.includes(entry.reason)) &&
  (source === undefined || entry.source === source)

async function filterByAccount(
  mediation: MediationContext,
  entries: readonly SuspendedCdr[],
  name: string,
): Promise<SuspendedCdr[]> {
  const parties = (await Promise.all(entries.map((entry) => partiesIn(mediation, entry)))).flat()
  const [account] = await findCallers(mediation.store, [name])
  const accounts = await resolveAccounts(
    mediation,
    parties.map(({ party }) => party),
  )
  const selected = parties.filter(({ party }) => {
    const resolved = accounts.get(party)
    const { accountCode, device, sipUser } = party
    return resolved ? resolved.user_id === account?.id : [accountCode, device, sipUser].includes(name)
  })
  return [...new Set(selected.map(({ entry }) => entry))]
}

/** The party hints of an entry's CDRs; none if the entry cannot be read. */
async function partiesIn(mediation: MediationContext, entry: SuspendedCdr) {
  const parts = [...partsOf(mediation, await documentsOf(mediation.store, entry))]
  return parts.flatMap(({ found }) => partyIn(found)).map((party) => ({ entry, party }))
}

function partyIn(found: Found): PartyHints[] {
  if (found.kind === 'cdr' || found.kind === 'leg') return [found.cdr.party]
  return found.kind === 'dialog_event' || found.kind === 'live_event' ? [found.event.party] : []
}
