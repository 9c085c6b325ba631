import { type Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { findCallers } from '#lib/accounts/account.ts'
import { type Day, hoursSince, periodOfDay } from '#lib/base/calendar.ts'
import { escapeControls } from '#lib/base/text.ts'
import { type Found, type PartyHints, REASONS } from '#lib/cdrs/formats/cdr.ts'
import { type MediationContext, openMediation } from '#lib/cdrs/mediation.ts'
import { partsOf } from '#lib/cdrs/pipeline.ts'
import { resolveAccounts } from '#lib/cdrs/resolve.ts'
import { documentsOf, enforceAgeLimits, reasonsCuredBy, retryEntries } from '#lib/cdrs/suspense/retry.ts'
import {
  findSuspended,
  firstSeen,
  listSuspended,
  removeSuspended,
  type SuspendedCdr,
  suspendedText,
} from '#lib/cdrs/suspense/suspense.ts'
import type { Store } from '#lib/table/store.ts'
import { changeAction, listAction, showAction } from '../../command-line/actions.ts'
import { dayArgument } from '../../command-line/arguments.ts'
import { type Listing, listFormat, listingOf, type Shown, shownFormat } from '../../command-line/listing.ts'
import { withTableOptions } from '../../command-line/over-table.ts'
import { agreesTo, CommandError, countOf, UsageError } from '../../machine/terminal.ts'
import { describedBy, type SwitchOptions, withSwitchOptions } from '../ingest/switch-options.ts'

export function declare(command: Command): void {
  const suspense = withTableOptions(command).description(
    'A suspended CDR could not be stored yet, for example because its account or its rate is unknown.',
  )
  const open = (store: Store) => openMediation(store, new Date())
  withFilter(suspense.command('list'))
    .description('list suspended CDRs, oldest first, with their reasons')
    .addOption(listFormat())
    .action(listAction(async (store, filter) => listSuspendedRows(await open(store), filter)))
  withSwitchOptions(withFilter(suspense.command('retry')))
    .description(
      'mediate them again, as an import of accounts or tariffs does; the options of npx tollgate ingest correct the description of the switch',
    )
    .action(changeAction(async (store, _, options) => retrySuspense(await open(store), options, options)))
  suspense
    .command('show <id>')
    .description('show a CDR as the switch wrote it')
    .addOption(shownFormat())
    .action(showAction(async (store, id) => showSuspended(await open(store), id)))
  withFilter(suspense.command('drop [id]'))
    .description('delete a suspended CDR, or all that the options select')
    .option('--yes', 'delete without asking; required without a terminal')
    .action((id, { yes = false, ...filter }, drop) => {
      const isSelected = id !== undefined || Object.keys(filter).length > 0
      if (!isSelected) throw new InvalidArgumentError('Missing an id, or an option that selects CDRs')
      const agreed = async (count: number) => yes || agreesTo(`Delete ${countOf(count, 'suspended CDR')}?`)
      return changeAction(async (store, _act, _drop: unknown) => {
        const mediation = await open(store)
        return id === undefined
          ? removeAllSuspended(mediation, filter, agreed)
          : removeSuspendedCdr(mediation, id, agreed)
      })(drop)
    })
}

const withFilter = <A extends unknown[]>(command: Command<A>) =>
  command
    .addOption(new Option('--reason <REASON>', 'only CDRs with this reason').choices(REASONS))
    .option('--source <NAME>', 'only CDRs of this switch')
    .option('--account <NAME>', 'only CDRs of this account, or with this unknown account code or device')
    .option(
      '--from <DAY>',
      'only CDRs that were first suspended on this day (YYYY-MM-DD) or later',
      dayArgument,
    )
    .option('--till <DAY>', 'only CDRs that were first suspended on this day or earlier', dayArgument)

/** The selected suspended CDRs, oldest first, with their reasons. */
export async function listSuspendedRows(
  mediation: MediationContext,
  filter: SuspenseFilter,
): Promise<Listing> {
  await enforceAgeLimits(mediation)
  const listing = await listingOf(mediation.store, 'CDR', entriesOf(mediation, filter), {
    id: 'text',
    age: ['text', (entry) => ageOf(mediation, entry)],
    switch: ['text', ({ source }) => source],
    reason: 'text',
    call_start: ['time', ({ start }) => start],
    calling_number: ['text', ({ src }) => src],
    called_number: ['text', ({ dst }) => dst],
    detail: 'text',
  })
  return { ...listing, summary: (count) => `${countOf(count, 'CDR')} suspended` }
}

/** Everything about a suspended CDR, its own text last. */
export async function showSuspended(mediation: MediationContext, id: string): Promise<Shown> {
  const entry = await entryNamed(mediation, id)
  const { reason, detail, source, format, tries, object } = entry
  const [age, text] = [ageOf(mediation, entry), await suspendedText(mediation.store, entry)]
  return {
    json: { id, reason, detail, switch: source, format, age, tries, object, text },
    lines: [
      `${reason}: ${escapeControls(detail)}`,
      `from ${source} as ${format}, ${age} old, tried ${countOf(tries, 'time')}`,
      ...(object === undefined ? [] : [`too large for suspense: stored as ${escapeControls(object)}`]),
      text,
    ],
  }
}

/** Retries suspended CDRs. The options corrects how their switch writes. */
export async function retrySuspense(
  mediation: MediationContext,
  filter: SuspenseFilter,
  options: SwitchOptions = {},
): Promise<string> {
  const writesAs = describedBy(options)
  await enforceAgeLimits(mediation)
  let [stored, suspended] = [0, 0]
  for await (const page of suspendedPages(mediation, filter)) {
    const outcome = await retryEntries(
      mediation,
      page.map((entry) => ({ ...entry, ...writesAs })),
    )
    stored += outcome.stored
    suspended += outcome.suspended
  }
  return retryReport(stored, suspended)
}

const retryReport = (stored: number, suspended: number): string =>
  `${countOf(stored, 'CDR')} stored, ${suspended} still suspended`

/** Retries after an import of these files; `undefined` if there was nothing to retry. */
export async function retryAfterImport(
  store: Store,
  files: readonly string[],
  now: Date,
): Promise<string | undefined> {
  const reasons = reasonsCuredBy(files)
  if (reasons.length === 0) return undefined
  const outcome = await retrySuspense(await openMediation(store, now), { reasons })
  return outcome === retryReport(0, 0) ? undefined : `suspense: ${outcome}`
}

/** Asks whether to delete this number of suspended CDRs. */
type AgreeToDrop = (count: number) => Promise<boolean>

/** Deletes a suspended CDR if that is agreed to. Throws CommandError otherwise. */
export async function removeSuspendedCdr(
  mediation: MediationContext,
  id: string,
  agreed: AgreeToDrop,
): Promise<string> {
  const entry = await entryNamed(mediation, id)
  if (!(await agreed(1))) throw notDropped(1)
  await removeSuspended(mediation.store, [entry])
  return `Dropped ${id} (${entry.reason}: ${escapeControls(entry.detail)})`
}

/** Deletes all selected CDRs if their number is agreed to. Throws CommandError otherwise. */
export async function removeAllSuspended(
  mediation: MediationContext,
  filter: SuspenseFilter,
  agreed: AgreeToDrop,
): Promise<string> {
  const entries = await Array.fromAsync(entriesOf(mediation, filter))
  if (entries.length === 0) return 'No suspended CDR matches'
  if (!(await agreed(entries.length))) throw notDropped(entries.length)
  await removeSuspended(mediation.store, entries)
  return `Dropped ${countOf(entries.length, 'CDR')}`
}

const notDropped = (count: number): CommandError =>
  new CommandError(`Nothing was dropped: pass --yes to drop ${countOf(count, 'CDR')}`)

async function entryNamed({ store }: MediationContext, id: string): Promise<SuspendedCdr> {
  const entry = /^[0-9a-f]{24}$/.test(id) ? await findSuspended(store, id) : undefined
  if (!entry)
    throw new CommandError(`There is no suspended CDR ${id}: npx tollgate suspense list shows all ids`)
  return entry
}

async function* entriesOf(mediation: MediationContext, filter: SuspenseFilter) {
  for await (const page of suspendedPages(mediation, filter)) yield* page
}

function ageOf({ now }: MediationContext, entry: SuspendedCdr): string {
  const hours = hoursSince(firstSeen(entry), now)
  return hours < 48 ? countOf(hours, 'hour') : `${Math.floor(hours / 24)} days`
}

// Selection

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

const MAX_UNIX_SECONDS = 253_402_300_799

/** The selected CDRs, oldest first, page by page. Throws CommandError for days in the wrong order. */
async function* suspendedPages(
  mediation: MediationContext,
  { account, from, till, ...rest }: SuspenseFilter,
): AsyncGenerator<SuspendedCdr[]> {
  const zone = mediation.settings.Timezone
  const period = {
    from: from === undefined ? 0 : periodOfDay(from, zone).from,
    till: till === undefined ? MAX_UNIX_SECONDS : periodOfDay(till, zone).till,
  }
  if (period.from > period.till) throw new UsageError(`--from ${from} is after --till ${till}: exchange them`)
  for await (const page of listSuspended(mediation.store, period)) {
    const selected = page.filter((entry) => isSelected(entry, rest))
    yield account === undefined ? selected : await filterByAccount(mediation, selected, account)
  }
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
