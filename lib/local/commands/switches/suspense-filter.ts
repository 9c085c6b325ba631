import { periodOfDay } from '#lib/domain/calendar.ts'
import { CommandError } from '#lib/local/terminal.ts'
import { type Found, type PartyHints, reasonOf } from '#lib/mediation/formats/cdr.ts'
import { partsOf } from '#lib/mediation/mediate.ts'
import type { Mediation } from '#lib/mediation/mediation.ts'
import { resolveAccounts } from '#lib/mediation/resolve.ts'
import { documentsOf } from '#lib/mediation/retry.ts'
import { findCallers } from '#lib/store/accounts/account.ts'
import { listSuspended, type SuspendedCdr } from '#lib/store/calls/suspense.ts'

/** Which suspended CDRs are meant: all of them, unless something narrower is said. */
export interface SuspenseFilter {
  readonly reason?: string | undefined
  /** Any of these. */
  readonly reasons?: readonly string[] | undefined
  readonly source?: string | undefined
  /** The username of whose calls they are; or what they say instead of a name that is known, such as an account code. */
  readonly account?: string | undefined
  /** Days on which they came first, `YYYY-MM-DD`, both included. */
  readonly from?: string | undefined
  readonly till?: string | undefined
}

const LATEST = 253_402_300_799

/** The CDRs that are meant, oldest first, page by page. Throws CommandError for what is not a day, or days that are the wrong way round. */
export async function* suspendedPages(
  mediation: Mediation,
  { account, from, till, ...rest }: SuspenseFilter,
): AsyncGenerator<SuspendedCdr[]> {
  const zone = mediation.settings.Timezone
  const stretch = {
    from: from === undefined ? 0 : periodOfDay(dayIn(from), zone).from,
    till: till === undefined ? LATEST : periodOfDay(dayIn(till), zone).till,
  }
  if (stretch.from > stretch.till) throw new CommandError('--from comes after --till')
  for await (const page of listSuspended(mediation.store, stretch)) {
    const some = page.filter((record) => isMeant(record, rest))
    yield account === undefined ? some : await ofAccount(mediation, some, account)
  }
}

function dayIn(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  throw new CommandError(`${text} is not a day: YYYY-MM-DD`)
}

const isMeant = (
  record: SuspendedCdr,
  { reason, reasons, source }: Pick<SuspenseFilter, 'reason' | 'reasons' | 'source'>,
): boolean =>
  (reason === undefined || reasonOf(record.reason) === reasonOf(reason)) &&
  (reasons === undefined || reasons.includes(reasonOf(record.reason))) &&
  (source === undefined || record.source === source)

async function ofAccount(
  mediation: Mediation,
  entries: readonly SuspendedCdr[],
  name: string,
): Promise<SuspendedCdr[]> {
  const said = (await Promise.all(entries.map((entry) => partiesIn(mediation, entry)))).flat()
  const [account] = await findCallers(mediation.store, [name])
  const accounts = await resolveAccounts(
    mediation,
    said.map(({ party }) => party),
  )
  const meant = said.filter(({ party }, place) => {
    const resolved = accounts[place]
    return resolved ? resolved.user_id === account?.id : namesIn(party).includes(name)
  })
  return [...new Set(meant.map(({ entry }) => entry))]
}

const namesIn = ({ accountCode, device, sipUser }: PartyHints): string[] => [accountCode, device, sipUser]

/** The hints of an entry's CDRs at their customers; none if the entry cannot be read. */
async function partiesIn(mediation: Mediation, entry: SuspendedCdr) {
  const parts = [...partsOf(mediation, await documentsOf(mediation.store, entry))]
  return parts.flatMap(({ found }) => partyIn(found)).map((party) => ({ entry, party }))
}

function partyIn(found: Found): PartyHints[] {
  if (found.kind === 'cdr') return [found.cdr.party]
  return found.kind === 'dialog_event' || found.kind === 'live_event' ? [found.event.party] : []
}
