import { type Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { hoursSince } from '#lib/base/calendar.ts'
import { countOf, escapeControls } from '#lib/base/text.ts'
import { REASONS } from '#lib/cdrs/formats/cdr.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { type MediationContext, openMediation } from '#lib/cdrs/mediation.ts'
import { enforceAgeLimits, reasonsCuredBy, retryEntries } from '#lib/cdrs/pipeline/retry.ts'
import {
  dropSuspendedCdrs,
  retryReport,
  retrySuspendedCdrs,
  type SuspenseFilter,
  suspendedNamed,
  suspendedPages,
} from '#lib/cdrs/pipeline/suspense-acts.ts'
import { firstSeen, type SuspendedCdr, suspendedText } from '#lib/cdrs/suspense/suspense.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listAction, showAction } from '../../command-line/actions.ts'
import { dayOption } from '../../command-line/arguments.ts'
import { type Listing, listFormat, listingOf, type Shown, shownFormat } from '../../command-line/listing.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const suspense = withTableOptions(command)
    .description(
      'A suspended CDR could not be stored yet, for example because its account or its rate is unknown.',
    )
    .addOption(ACTOR)
  const plain = suspense as unknown as CommandUnknownOpts
  const open = (store: Store) => openMediation(store, new Date())
  withFilter(suspense.command('list'))
    .description('list suspended CDRs, oldest first, with their reasons')
    .addOption(listFormat())
    .action(listAction(async (store, filter) => listSuspendedRows(await open(store), filter)))
  actCommand(plain, 'retry', retrySuspendedCdrs, [])
  suspense
    .command('show <id>')
    .description('show a CDR as the switch wrote it')
    .addOption(shownFormat())
    .action(showAction(async (store, id) => showSuspended(await open(store), id)))
  actCommand(plain, 'drop', dropSuspendedCdrs, ['id'])
}

const withFilter = <A extends unknown[]>(command: Command<A>) =>
  command
    .addOption(new Option('--reason <REASON>', 'only CDRs with this reason').choices(REASONS))
    .option('--source <NAME>', 'only CDRs of this switch')
    .option('--account <NAME>', 'only CDRs of this account, or with this unknown account code or device')
    .option(
      '--from <DAY>',
      'only CDRs that were first suspended on this day (YYYY-MM-DD, today or yesterday) or later',
      dayOption,
    )
    .option('--till <DAY>', 'only CDRs that were first suspended on this day or earlier', dayOption)

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
  const entry = await suspendedNamed(mediation, id)
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

/** Retries the selected CDRs, whose switch writes as this says. */
export async function retrySuspense(
  mediation: MediationContext,
  filter: SuspenseFilter,
  writesAs: Partial<CdrDocument> = {},
): Promise<string> {
  await enforceAgeLimits(mediation)
  const sum = { stored: 0, suspended: 0 }
  for await (const page of suspendedPages(mediation, filter)) {
    const { stored, suspended } = await retryEntries(
      mediation,
      page.map((entry) => ({ ...entry, ...writesAs })),
    )
    sum.stored += stored
    sum.suspended += suspended
  }
  return retryReport(sum)
}

/** Retries after an import of these files; `undefined` if there was nothing to retry. */
export async function retryAfterImport(
  store: Store,
  files: readonly string[],
  now: Date,
): Promise<string | undefined> {
  const reasons = reasonsCuredBy(files)
  if (reasons.length === 0) return undefined
  const outcome = await retrySuspense(await openMediation(store, now), { reasons })
  return outcome === retryReport({ stored: 0, suspended: 0 }) ? undefined : `suspense: ${outcome}`
}

async function* entriesOf(mediation: MediationContext, filter: SuspenseFilter) {
  for await (const page of suspendedPages(mediation, filter)) yield* page
}

function ageOf({ now }: MediationContext, entry: SuspendedCdr): string {
  const hours = hoursSince(firstSeen(entry), now)
  return hours < 48 ? countOf(hours, 'hour') : `${Math.floor(hours / 24)} days`
}
