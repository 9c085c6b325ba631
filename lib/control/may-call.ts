import { secondsOf } from '#lib/base/calendar.ts'
import { add, fixed, niceDigits, subtract } from '#lib/base/money.ts'
import type { CallRow } from '#lib/calls/call.ts'
import { rateInDefaultCurrency } from '#lib/calls/rating/call-rating.ts'
import { ASKED_CALL } from '#lib/calls/rating/price-steps.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import {
  type CallDecision,
  type CallVerdict,
  decide,
  longestCall,
  REFUSAL_REASONS,
  type RefusalReason,
  verdictOf,
} from './authorize.ts'
import { type Holds, holdName, readHold } from './holds.ts'
import { type CallRequest, type HoldPayer, type Plan, planHold } from './plan.ts'
import type { Seen } from './seen.ts'

// May a customer call a number now? The rules are those of POST /calls/authorize; nothing is held or written.

interface AskedRule {
  readonly rule: RefusalReason
  readonly state: 'passed' | 'refused' | 'not_asked'
  /** The finding of the rule. */
  readonly says: string
}

/** The answer to a switch about a call that begins now, and each rule in its order. */
export async function mayCall(
  store: Store,
  call: Pick<CallRow, 'user_id' | 'dst'> & Partial<CallRow>,
  settings: Settings,
  now: Date,
) {
  const request = {
    ...{ name: holdName({ source: '', uniqueid: ASKED_CALL.uniqueid }), at: now.getTime(), now },
    ...{ cap: longestCall(settings), nonce: '', settings },
  }
  const row = { ...ASKED_CALL, ...call, calldate: secondsOf(now), duration: 1, billsec: 1 }
  const read = await decide(store, { row, isUnknown: false }, request)
  const payers = 'payers' in read ? read.payers.map((payer) => withoutExpired(payer, now)) : []
  const verdict = plannedVerdict(read, payers, request)
  const refusedAt = verdict !== 'over' && !verdict.allow ? REFUSAL_REASONS.indexOf(verdict.reason) : undefined
  const isFree = refusedAt === undefined && !read.rates
  return {
    allow: refusedAt === undefined,
    reason: refusedAt === undefined ? null : (REFUSAL_REASONS[refusedAt] ?? null),
    seconds: verdict !== 'over' && verdict.allow ? verdict.seconds : 0,
    /** Switches ask only with call control. */
    isAsked: settings.Call_Control,
    rules: REFUSAL_REASONS.map((rule, index): AskedRule => {
      if (isFree && index > 0) return { rule, state: 'not_asked', says: 'an emergency number' }
      if (refusedAt !== undefined && index > refusedAt) return { rule, state: 'not_asked', says: '' }
      const state = index === refusedAt ? 'refused' : 'passed'
      return { rule, state, says: SAYS[rule](state === 'refused', { read, payers, settings }) }
    }),
  }
}

/** The holds as they are once those are dropped whose time is over: a call that lacks money drops them. */
function withoutExpired(payer: HoldPayer, now: Date): HoldPayer & { readonly seen: Seen } {
  const { holds, ceiling } = payer.seen as Seen
  const expired = [...holds.texts].filter(([, text]) => readHold(text).until < secondsOf(now))
  const live: Holds = {
    ...holds,
    held: subtract(holds.held, add(...expired.map(([, text]) => readHold(text).amount))),
    open: holds.open - expired.length,
  }
  return { ...payer, seen: { holds: live, ceiling } }
}

/** The verdict that `authorize` would give, from the plans of the payers' holds. */
function plannedVerdict(
  read: CallDecision,
  payers: readonly (HoldPayer & { readonly seen: Seen })[],
  request: CallRequest,
): CallVerdict {
  if (!('payers' in read)) return read.verdict
  const plans = payers.map((payer) => ({ payer, plan: planHold(payer, payer.seen, request) }))
  for (const { payer, plan } of plans)
    if (plan.kind === 'refused')
      return verdictOf(
        { kind: 'refused', reason: plan.reason, isBusy: plan.isBusy, payer },
        read.verdict,
        request,
      )
  const seconds = Math.min(...plans.map(({ plan }) => secondsIn(plan)))
  return verdictOf({ kind: 'held', seconds, holds: new Map() }, read.verdict, request)
}

const secondsIn = (plan: Plan): number => ('held' in plan ? plan.held.seconds : 0)

interface Facts {
  readonly read: CallDecision
  readonly payers: readonly (HoldPayer & { readonly seen: Seen })[]
  readonly settings: Settings
}

const SAYS: Readonly<Record<RefusalReason, (isRefused: boolean, facts: Facts) => string>> = {
  unknown_account: (_isRefused, { read }) => read.customer?.account.username ?? 'no account',
  blocked: (isRefused, { read: { customer } }) => {
    if (!isRefused) return 'neither it nor its owner is blocked'
    const blocked = [customer?.account, customer?.owner].find((one) => one?.blocked)
    return `${blocked?.username} is blocked`
  },
  unknown_rate: (isRefused, { read, settings }) =>
    isRefused ? 'its CDR could not be rated, and would be suspended' : ratesOf(read, settings),
  blocked_destination: (isRefused) => (isRefused ? 'the rate of its prefix is -1' : 'its prefix is open'),
  new_country: (isRefused, { settings }) => {
    if (isRefused) return `the first call to this country, above ${settings.New_Country_Rate} a minute`
    return settings.New_Country_Brake ? 'a known country, or a low rate' : 'New_Country_Brake is off'
  },
  too_dear: (_isRefused, { read }) =>
    limitsOf(read.rates?.map(({ account }) => account) ?? [], ({ username, dearest_rate }) =>
      dearest_rate === undefined ? [] : [`${username}: at most ${dearest_rate} a minute`],
    ),
  calls_limit: (_isRefused, { payers }) =>
    limitsOf(payers, ({ account: { username, calls_limit }, seen }) =>
      calls_limit === undefined ? [] : [`${username}: ${seen.holds.open} of ${calls_limit} calls run`],
    ),
  daily_limit: (_isRefused, facts) => leftBy('day', facts),
  no_money: (_isRefused, facts) => leftBy('money', facts),
}

function ratesOf({ rates = [] }: CallDecision, { Default_Currency }: Settings): string {
  const texts = rates.map(
    ({ account, rated }) =>
      `${account.username}: ${rateInDefaultCurrency(rated)} ${Default_Currency} a minute`,
  )
  return texts.join(', ') || 'free'
}

const limitsOf = <P>(payers: readonly P[], limitsIn: (payer: P) => readonly string[]): string =>
  payers.flatMap(limitsIn).join(', ') || 'no limit'

const leftBy = (kind: 'day' | 'money', { payers, settings }: Facts): string =>
  limitsOf(payers, ({ account: { username }, seen: { holds, ceiling } }) => {
    const most = ceiling[kind]
    if (most === undefined) return []
    const left = fixed(subtract(most, holds.held), niceDigits(settings))
    return [`${username}: ${left} ${settings.Default_Currency} left${kind === 'day' ? ' today' : ''}`]
  })
