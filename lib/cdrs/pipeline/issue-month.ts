import pMap from 'p-map'
import { defineAct } from '#lib/acts/act.ts'
import type { ActContext } from '#lib/acts/context.ts'
import {
  accountInput,
  type GivenTexts,
  type InputValues,
  idInput,
  inputOf,
  monthInput,
  optionalInput,
  readInputs,
  switchInput,
} from '#lib/acts/inputs.ts'
import { OWNERS } from '#lib/base/account-types.ts'
import type { Period } from '#lib/base/calendar.ts'
import { actsFor } from '#lib/base/scope.ts'
import { countOf } from '#lib/base/text.ts'
import { type BilledCustomer, billedCustomer, billMonth, openIssue } from '#lib/invoicing/bill-month.ts'
import { chargesToIssue, chargesToPreview } from '#lib/invoicing/charges-of.ts'
import { sellerId } from '#lib/invoicing/journal/close-month.ts'
import { periodOfMonth } from '#lib/invoicing/month.ts'
import { customerMonths, openMonth, pageOfCustomers, requireBilled } from '#lib/invoicing/month-customers.ts'
import type { MonthRun } from '#lib/invoicing/month-run.ts'
import type { Party } from '#lib/invoicing/parties.ts'
import type { PartyHints, Reason } from '../formats/cdr.ts'
import { type MediationContext, openMediation } from '../mediation.ts'
import { resolveAccounts } from '../resolve.ts'
import { listSuspended, type SuspendedCdr } from '../suspense/suspense.ts'
import { partsOf } from './pipeline.ts'
import { documentsOf, SUSPENDED_TEXTS_AT_ONCE } from './retry.ts'

const idsInput = inputOf('whole numbers with commas between them', 'IDS', (text) =>
  /^\d{1,15}(,\d{1,15})*$/.test(text) ? text.split(',').map(Number) : undefined,
)

const monthInputs = {
  month: monthInput('a month that is over'),
  seller: optionalInput(
    accountInput('the reseller or partner whose customers are billed (default: your own)'),
  ),
  customer: optionalInput(accountInput('the only customer')),
  only: optionalInput(idsInput('the ids of the only customers')),
  except: optionalInput(idsInput('the ids of customers that are left out')),
  after: optionalInput(idInput('only customers after this id: a page has 50 of them')),
  'despite-suspense': switchInput('bill customers although calls of the month are in suspense'),
  late: switchInput('also bill what is older than Late_Months'),
}

/** A month of an owner's customers. */
export interface MonthOfCustomers {
  readonly seller: Party
  readonly customers: readonly BilledCustomer[]
  /** The next page begins after this id. */
  readonly next: string | null
}

/** Opens a month with its calls that are in suspense. Throws Refusal as `openMonth` does. */
async function openBilling(
  { store, now, actor, mostAtOnce }: ActContext,
  {
    month,
    seller,
    customer,
    late: isLate,
    'despite-suspense': isDespite,
    ...choice
  }: InputValues<typeof monthInputs>,
  chargesOf: MonthRun['chargesOf'],
) {
  const owner_id = seller ? sellerId(seller) : (actsFor(actor) ?? actor.id)
  if (customer) await requireBilled(store, customer, owner_id)
  const mediation = await openMediation(store, now)
  const period = periodOfMonth(month, mediation.settings.Timezone)
  const suspended = await suspendedByCustomer(mediation, period)
  const wanted = { month, owner_id, now, suspended, isDespiteSuspense: isDespite ?? false, isLate, chargesOf }
  const only = customer ? [customer.id] : choice.only
  const isWhole = mostAtOnce === undefined
  return {
    run: await openMonth(store, wanted),
    ...(await pageOfCustomers(store, owner_id, { ...choice, only, isWhole })),
  }
}

/** The amounts that a month would bill, or has billed. Takes what `issueMonth` does. */
export async function previewMonth(context: ActContext, given: GivenTexts): Promise<MonthOfCustomers> {
  const input = await readInputs(monthInputs, given, context)
  const { run, page, next } = await openBilling(context, input, chargesToPreview)
  const customers: BilledCustomer[] = []
  for await (const one of billMonth(run, page)) {
    customers.push(one)
    context.onProgress?.({ done: customers.length, total: page.length })
  }
  return { seller: run.seller, customers, next }
}

const DOCUMENTS_A_NOTE = 50

/**
 * Issues the month of customers. The audit log has an entry before the first document is there, which says
 * "(interrupted)" until all are: a run that is killed leaves it. One that issues nothing has none.
 */
export const issueMonth = defineAct({
  summary: 'Issue the documents of a month; issued ones are not changed',
  callers: OWNERS,
  input: monthInputs,
  run: async (context, input) => {
    const { run, page, next } = await openBilling(context, input, chargesToIssue)
    return { steps: () => issuing(run, page, next) }
  },
})

async function* issuing(run: MonthRun, page: readonly number[], next: string | null) {
  const customers: BilledCustomer[] = []
  const count = () => customers.filter(({ outcome }) => outcome === 'issued').length
  const issue = await openIssue(run)
  let begun = 0
  for await (const read of customerMonths(run, page)) {
    const isOpen = !read.done && read.refusal === undefined
    if (isOpen && begun % DOCUMENTS_A_NOTE === 0)
      yield { logs: `issued ${count()} or more documents of ${run.month} (interrupted)` }
    begun += isOpen ? 1 : 0
    customers.push(await billedCustomer(run, read, await issue(read)))
    yield { done: customers.length, total: page.length }
  }
  const did = begun > 0 ? `issued ${countOf(count(), 'document')} of ${run.month}` : undefined
  return { answer: { seller: run.seller, customers, next }, did }
}

/** The reasons of CDRs that belong to a stored call: they are not calls of their own. */
const OF_STORED_CALLS: readonly string[] = [
  'invoiced',
  'possible_duplicate',
  'already_answered',
  'came_priced',
] satisfies Reason[]

/** Counts a period's suspended calls that would be new, by the customer that they resolve to now. */
async function suspendedByCustomer(
  mediation: MediationContext,
  { from, till }: Period,
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>()
  const isWanted = ({ start = -1, reason }: SuspendedCdr) =>
    from <= start && start <= till && !OF_STORED_CALLS.includes(reason)
  for await (const page of listSuspended(mediation.store, { after: '' })) {
    const parties = await pMap(page.filter(isWanted), (entry) => partiesIn(mediation, entry), {
      concurrency: SUSPENDED_TEXTS_AT_ONCE,
    })
    const owners = await resolveAccounts(mediation, parties.flat())
    for (const owner of owners.values())
      if (owner) counts.set(owner.user_id, (counts.get(owner.user_id) ?? 0) + 1)
  }
  return counts
}

async function partiesIn(mediation: MediationContext, entry: SuspendedCdr): Promise<PartyHints[]> {
  const parts = [...partsOf(mediation, await documentsOf(mediation.store, entry))]
  return parts.flatMap(({ found }) => (found.kind === 'cdr' ? [found.cdr.party] : []))
}
