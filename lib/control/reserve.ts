import { setTimeout } from 'node:timers/promises'
import type { PayerAccount } from '#lib/accounts/limits.ts'
import { notifyMarked } from '#lib/alerts/event.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import { hasWritten, TooMuchContention } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'
import { ADOPTED, holdText, releaseUpdate } from './holds.ts'
import {
  adoptionOf,
  type CallRequest,
  type HeldCall,
  type HoldPayer,
  type LimitReason,
  type Plan,
  planHold,
} from './plan.ts'
import { type Seen, seePayers } from './seen.ts'

export type Reservation =
  | {
      readonly kind: 'held'
      readonly seconds: number
      readonly holds: ReadonlyMap<HoldPayer, HeldCall['hold']>
    }
  | { readonly kind: 'over' }
  | {
      readonly kind: 'refused'
      readonly reason: LimitReason
      /** Another call of the payer runs. */
      readonly isBusy: boolean
      readonly payer: HoldPayer
    }

type Refusal = Exclude<Reservation, { readonly kind: 'held' }>

/** How often a request begins again because what it read has changed. */
const MAX_ATTEMPTS = 8

/** In milliseconds. Between a charge and its release money counts twice. */
const SECOND_LOOK_MS = 20
const MAX_JITTER_MS = 10

/** One request on its way through the protocol. */
interface Attempt {
  readonly store: Store
  readonly request: CallRequest
  readonly pause: (milliseconds: number) => Promise<unknown>
  attempts: number
  hasLookedAgain: boolean
}

/**
 * Holds a call's money for each payer, an owner before its customer, for as many seconds as all can pay.
 * Payers of a refused call hold nothing new. Throws TooMuchContention if what it reads keeps changing.
 */
export async function reserve(
  store: Store,
  payers: readonly HoldPayer[],
  request: CallRequest,
  pause: Attempt['pause'] = (milliseconds) => setTimeout(milliseconds),
): Promise<Reservation> {
  const attempt = { store, request, pause, attempts: 0, hasLookedAgain: false }
  const first = payers.flatMap(({ seen }) => seen ?? [])
  const planned = await planAll(
    attempt,
    payers,
    request.cap,
    first.length === payers.length ? first : undefined,
  )
  if ('kind' in planned) return planned
  const holds = new Map<HoldPayer, HeldCall['hold']>()
  let seconds = Math.min(...planned.map(({ plan }) => plan.held.seconds))
  for (const [index, payer] of payers.entries()) {
    // The holds of the customer are read after the owner's write.
    const taken = await take(attempt, payer, seconds, index === 0 ? planned[0]?.seen : undefined)
    if ('kind' in taken) {
      await releaseOwners(attempt, holds)
      return taken
    }
    holds.set(payer, taken.hold)
    seconds = Math.min(seconds, taken.seconds)
  }
  return { kind: 'held', seconds, holds }
}

/** A plan that is not refused, and what it was made from. */
interface Planned {
  readonly seen: Seen
  readonly plan: Extract<Plan, { readonly kind: 'found' | 'write' }>
}

/** The payers' plans for at most `most` seconds, or a refusal. Expired holds go only if money lacks. */
async function planAll(
  attempt: Attempt,
  payers: readonly HoldPayer[],
  most: number,
  first?: readonly Seen[],
): Promise<Planned[] | Refusal> {
  const see = () =>
    seePayers(
      attempt.store,
      payers.map(({ account }) => account),
      attempt.request,
    )
  let seen = first ?? (await see())
  for (;;) {
    const plans = payers.map((payer, index) => planHold(payer, seen[index] as Seen, attempt.request, most))
    const decided = await decisionOf(attempt, payers, plans)
    if (decided === 'open') return plans.map((plan, index) => ({ plan, seen: seen[index] }) as Planned)
    if (decided) return decided
    seen = await see()
  }
}

/** RefusedCall or over, or all plans are open; `undefined` to begin again. */
async function decisionOf(
  attempt: Attempt,
  payers: readonly HoldPayer[],
  plans: readonly Plan[],
): Promise<Refusal | 'open' | undefined> {
  const expired = plans.find((plan) => plan.kind === 'drop')
  if (expired) return void (await drop(attempt, expired.drop))
  if (plans.some(({ kind }) => kind === 'over')) return { kind: 'over' }
  const index = plans.findIndex(({ kind }) => kind === 'refused')
  const [refused, payer] = [plans[index], payers[index]]
  if (refused?.kind !== 'refused' || !payer) return 'open'
  if (await looksAgain(attempt, refused)) return undefined
  return { kind: 'refused', reason: refused.reason, isBusy: refused.isBusy, payer }
}

/** Drops expired holds while there are any, then waits once for charged calls not yet released. */
async function looksAgain(
  attempt: Attempt,
  { drop: expired }: Extract<Plan, { readonly kind: 'refused' }>,
): Promise<boolean> {
  if (expired) {
    await drop(attempt, expired)
    return true
  }
  if (attempt.hasLookedAgain) return false
  attempt.hasLookedAgain = true
  await attempt.pause(SECOND_LOOK_MS)
  return true
}

async function drop(
  attempt: Attempt,
  { account, expired, update }: NonNullable<Extract<Plan, { readonly kind: 'drop' }>['drop']>,
): Promise<void> {
  if (!(await write(attempt, update))) return
  attempt.store.meter.note('hold_expired', expired)
  await notifyExpired(attempt, account, expired)
}

/** Tells that holds ended without a CDR. */
async function notifyExpired(
  { store, request: { settings, now } }: Attempt,
  { id: account, owner_id: owner }: PayerAccount,
  holds: number,
): Promise<void> {
  const value = now.getTime()
  const data = { account, owner, holds }
  const event = { type: 'hold.expired', owner, at: now, subject: `${account} ${value}`, data } as const
  await notifyMarked(store, settings, { subject: account, mark: 'expired_at', value, event })
}

/** Holds at most `most` seconds for one payer, from what was `seen` of it or what is read now. */
async function take(
  attempt: Attempt,
  payer: HoldPayer,
  most: number,
  seen: Seen | undefined,
): Promise<HeldCall | Refusal> {
  const planned = await planAll(attempt, [payer], most, seen && [seen])
  if ('kind' in planned) return planned
  const taken = planned[0] && (await carryOut(attempt, payer, planned[0].plan))
  return taken ?? take(attempt, payer, most, undefined)
}

/** The hold of a plan; `undefined` if it has changed meanwhile. */
async function carryOut(
  attempt: Attempt,
  payer: HoldPayer,
  plan: Planned['plan'],
): Promise<HeldCall | undefined> {
  const { held } = plan
  if (plan.kind === 'write') return (await write(attempt, plan.update)) ? held : undefined
  const { hold } = held
  if (!payer.isOwner || hold.nonce === attempt.request.nonce || hold.nonce === ADOPTED) return held
  const adopted = await write(attempt, adoptionOf(payer, hold))
  return adopted ? { ...held, hold: { ...hold, nonce: ADOPTED } } : undefined
}

/** Returns false, after a short wait, if a condition fails. The last attempt throws TooMuchContention. */
async function write(
  attempt: Attempt,
  { update, to, when }: Extract<Change, { update: unknown }>,
): Promise<boolean> {
  if (await hasWritten(attempt.store.update(update, to, when))) return true
  attempt.attempts += 1
  if (attempt.attempts >= MAX_ATTEMPTS) throw new TooMuchContention('the holds of the account kept changing')
  await attempt.pause(Math.random() * MAX_JITTER_MS)
  return false
}

/** Releases the hold of an owner that this request wrote, unless another request relies on it. */
async function releaseOwners(
  { store, request: { nonce } }: Attempt,
  holds: ReadonlyMap<HoldPayer, HeldCall['hold']>,
): Promise<void> {
  for (const [{ account, isOwner }, hold] of holds) {
    if (!isOwner || hold.nonce !== nonce) continue
    const { update, to, when } = releaseUpdate(account.id, new Map([[hold.name, holdText(hold)]]))
    await hasWritten(store.update(update, to, when))
  }
}
