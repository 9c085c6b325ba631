import { writeSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findAccounts } from '#lib/accounts/account.ts'
import type { ActContext } from '#lib/acts/context.ts'
import type { GivenTexts } from '#lib/acts/inputs.ts'
import { isZero, type Money, subtract } from '#lib/base/money.ts'
import { countOf, ndjsonLine } from '#lib/base/text.ts'
import type { CallChange } from '#lib/calls/counted-change.ts'
import { describeKept, PAYERS, type PriceChanges, sumOfChanges } from '#lib/calls/rating/price-changes.ts'
import { planRerating, type RatedAgain, rerateCalls } from '#lib/calls/rating/rerate-calls.ts'
import { listReratings } from '#lib/calls/rating/rerating-log.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { carryOutAs, contextAt, outcomeLine } from '../../command-line/act-commands.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { noteDone, type TerminalAct } from '../../command-line/over-table.ts'
import { createProgress } from '../../command-line/progress.ts'
import { optionOf } from '../../command-line/remedies.ts'

/** Shows the difference to the operator. Returns whether to change the calls that it names. */
export type Approval = (difference: readonly string[], calls: number) => Promise<boolean>

/**
 * Shows the difference of a re-rating, and carries it out if approved. Returns what was done in words,
 * blank if no call gets another price, `undefined` without approval.
 */
export async function rerate(
  store: Store,
  { clock, as }: Pick<TerminalAct, 'as'> & { readonly clock: () => Date },
  given: GivenTexts,
  approve: Approval,
): Promise<string | undefined> {
  const spool = await createCallSpool()
  const progress = createProgress(process.stderr, Date.now, WORDS)
  const showing =
    (phase: 'check' | 'write'): ActContext['onProgress'] =>
    (step) => {
      if (typeof step === 'object') progress.show({ file: 'calls', phase, ...step })
      if (phase === 'write') noteDone(step)
    }
  try {
    const by = { as, now: clock() }
    const context = await contextAt(store, { ...by, onProgress: showing('check') })
    const plan = await planRerating(context, given, spool)
    progress.stop()
    const { calls } = sumOfChanges([...plan.found.customers.values()])
    const isApproved = await approve(await describe(store, plan.found), calls)
    if (calls === 0) return ''
    if (!isApproved) return undefined
    const writing = { ...by, onProgress: showing('write') }
    return outcomeLine(await carryOutAs(store, rerateCalls(plan, clock), writing, given))
  } finally {
    progress.stop()
    await spool.remove()
  }
}

const WORDS = { check: 'rating', compare: 'rating', write: 'changing', noun: 'calls' }

/** The runs, oldest first. A run that did not finish has no sums. */
export async function listReratingRows(store: Store): Promise<Listing> {
  const { Default_Currency } = await settingsOf(store)
  const runs = (await listReratings(store)).map((run) => ({
    at: run.at,
    wish: run.wish,
    done: run.ended_at ? run : undefined,
  }))
  return listingOf(store, 'run', runs, {
    at: 'time',
    ended: ['time', ({ done }) => done?.ended_at],
    calls: ['number', ({ done }) => done?.changed],
    before: ['number', ({ done }) => done?.before],
    after: ['number', ({ done }) => done?.after],
    currency: ['text', () => Default_Currency],
    options: ['text', ({ wish }) => wish],
  })
}

/** Planned changes in a temporary file: memory holds only a few of them. */
async function createCallSpool() {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rerate-'))
  const file = await open(join(folder, 'changes'), 'w+', 0o600)
  return {
    add: (change: CallChange) => void writeSync(file.fd, ndjsonLine(change)),
    async *all() {
      for await (const line of file.readLines({ start: 0, autoClose: false }))
        yield JSON.parse(line) as CallChange
    },
    remove: async () => {
      await file.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A line for each customer, by name, then the total, and what keeps its price. */
async function describe(store: Store, found: RatedAgain): Promise<string[]> {
  const { Default_Currency: currency } = await settingsOf(store)
  const changes = [...found.customers]
  const accounts = await findAccounts(
    store,
    changes.map(([id]) => id),
  )
  const customers = changes.map(
    ([id, sums], index) => `${accounts[index]?.username ?? `account ${id}`}: ${describeSums(sums, currency)}`,
  )
  const total = sumOfChanges(changes.map(([, sums]) => sums))
  return [...customers.sort(), `total: ${describeSums(total, currency)}`, ...describeKept(found, optionOf)]
}

const describeSums = ({ calls, before, after }: PriceChanges, currency: string): string => {
  const money = PAYERS.filter((payer) => payer === 'user' || before[payer] !== after[payer]).map(
    (payer) =>
      `${LABELS[payer]}${before[payer]} -> ${after[payer]} ${currency} (${signed(subtract(after[payer], before[payer]))})`,
  )
  return `${countOf(calls, 'call')}, ${money.join(', ')}`
}

const LABELS = { user: '', reseller: 'reseller ', provider: 'provider ' } as const

const signed = (amount: Money): string => (amount.startsWith('-') || isZero(amount) ? amount : `+${amount}`)
