import { periodOfDay } from '#lib/domain/calendar.ts'
import { findOwners } from '#lib/ingest/switches/call-owner.ts'
import { deliveryOf } from '#lib/ingest/switches/delivery.ts'
import type { IntakeWorld } from '#lib/ingest/switches/intake-world.ts'
import { FORMATS } from '#lib/intake/formats.ts'
import type { Found, PartyHints } from '#lib/intake/record.ts'
import { Failure } from '#lib/local/failure.ts'
import { findCallers } from '#lib/store/accounts/account.ts'
import { listSuspended, type Suspended } from '#lib/store/calls/suspense.ts'

/** Which records in suspense are meant: all of them, unless something narrower is said. */
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

/** The records that are meant, oldest first, page by page. Throws Failure for what is not a day, or days that are the wrong way round. */
export async function* suspendedPages(
  world: IntakeWorld,
  { account, from, till, ...rest }: SuspenseFilter,
): AsyncGenerator<Suspended[]> {
  const zone = world.settings.Timezone
  const stretch = {
    from: from === undefined ? 0 : periodOfDay(dayIn(from), zone).from,
    till: till === undefined ? LATEST : periodOfDay(dayIn(till), zone).till,
  }
  if (stretch.from > stretch.till) throw new Failure('--from comes after --till')
  for await (const page of listSuspended(world.store, stretch)) {
    const some = page.filter((record) => isMeant(record, rest))
    yield account === undefined ? some : await ofAccount(world, some, account)
  }
}

function dayIn(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text
  throw new Failure(`${text} is not a day: YYYY-MM-DD`)
}

const isMeant = (
  record: Suspended,
  { reason, reasons, source }: Pick<SuspenseFilter, 'reason' | 'reasons' | 'source'>,
): boolean =>
  (reason === undefined || record.reason === reason) &&
  (reasons === undefined || reasons.includes(record.reason)) &&
  (source === undefined || record.source === source)

async function ofAccount(
  world: IntakeWorld,
  records: readonly Suspended[],
  name: string,
): Promise<Suspended[]> {
  const parties = records.flatMap((record) => partiesIn(record).map((party) => ({ record, party })))
  const [account] = await findCallers(world.store, [name])
  const owners = await findOwners(
    world,
    parties.map(({ party }) => party),
  )
  const meant = parties.filter(({ party }, place) => {
    const owner = owners[place]
    return owner ? owner.user_id === account?.id : namesIn(party).includes(name)
  })
  return [...new Set(meant.map(({ record }) => record))]
}

const namesIn = ({ accountCode, device, sipUser }: PartyHints): string[] => [accountCode, device, sipUser]

/** What a record that can be read says about whose it is. */
function partiesIn(record: Suspended): PartyHints[] {
  const delivery = deliveryOf(record)
  if (!delivery) return []
  return FORMATS[delivery.format](record.document, delivery.origin).flatMap(({ found }) => partyIn(found))
}

function partyIn(found: Found): PartyHints[] {
  if (found.kind === 'call') return [found.call.party]
  if (found.kind === 'half') return [found.half.party]
  return found.kind === 'event' ? [found.event.party] : []
}
