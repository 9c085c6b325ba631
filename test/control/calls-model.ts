import { readPayer } from '#lib/accounts/limits.ts'
import { totalOf } from '#lib/base/balance.ts'
import { findBalances } from '#lib/billing/balance.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { type Holds, holdName, holdsKey, readHold, readHolds } from '#lib/control/holds.ts'
import { isLimited } from '#lib/control/limited.ts'
import { type HoldPayer, type PricedRate, priceFor } from '#lib/control/plan.ts'
import { type Reservation, reserve } from '#lib/control/reserve.ts'
import { heldAtOf, release, seeHolds, settle } from '#lib/control/settle.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { type Item, numberOf } from '#lib/table/items.ts'
import { accountKey, keyText } from '#lib/table/keys.ts'
import {
  ALL_EXPIRED_SECONDS,
  type Counts,
  type DrawnCall,
  LIMITED_ACCOUNTS,
  MODEL_CUSTOMERS,
} from './drawn-call.ts'
import type { TableActor } from './explorer.ts'
import { itemsOf, type Perform, type PlainItems, plainStore } from './plain-table.ts'

// A model of accounts, calls and money, beside the real protocol. Amounts are multiples of 0.25.

const settings = readSettings({
  Call_Control: '1',
  Balance_From: '2026-03-01',
  Hangup_Margin_Seconds: '0',
  Reserve_Seconds: '60',
})

const BEGIN_MS = Date.parse('2026-03-10T12:00:00Z')

const CALLS_LIMIT = 3

/** Half a minute at a time. */
const perMinute = (tariff_rate: string): PricedRate => ({
  rate: { tariff_rate, con_fee: '0', increment: 30, min_time: 0 },
  exchangeRate: '1',
})

const firstStep = (price: string): number => Number(price) / 2

/** A request that is not answered yet: the payers that could not pay at some moment meanwhile. */
interface Watch {
  readonly call: DrawnCall
  readonly excused: Set<number>
}

export class CallsModel {
  readonly items: PlainItems
  readonly #has = new Map<number, number>()
  /** What was taken of an account while its calls ran, as far as it is still missing. */
  readonly #taken = new Map<number, number>()
  readonly #charged = new Map<number, number>()
  readonly calls: DrawnCall[] = []
  /** The latest call of each id. */
  readonly #calls = new Map<string, DrawnCall>()
  readonly #watches = new Set<Watch>()
  readonly #counts: Counts
  #seconds = 0
  #requests = 0

  readonly #ahead: number

  /** `ahead`: the seconds by which the clock of the switch is ahead. */
  constructor(accountItems: readonly Item[], money: (id: number) => number, counts: Counts, ahead = 0) {
    this.#counts = counts
    this.#ahead = ahead
    this.items = itemsOf(
      accountItems.map((item) => {
        const id = Number(item['id'])
        if (!LIMITED_ACCOUNTS.some((one) => one === id)) return item
        const has = money(id)
        this.#has.set(id, has)
        const limit = id === 21 ? { calls_limit: CALLS_LIMIT } : {}
        return { ...item, balance: String(has), postpaid: false, credit: '0', ...limit }
      }),
    )
  }

  /** A call under an id of its own, or under that of a call that is over. */
  newCall(customer: number, price: string, earlier?: DrawnCall): DrawnCall {
    const owner = MODEL_CUSTOMERS[customer]
    const payers = owner === undefined ? [customer] : [owner, customer]
    const name = earlier?.name ?? holdName({ source: 'sw', uniqueid: String(this.calls.length) })
    if (earlier) this.#counts.usedAgain += 1
    const [exposed, state] = [new Map<number, number>(), 'open' as const]
    const call: DrawnCall = { name, payers, price, asking: 0, exposed, seconds: 0, state, ending: 0 }
    this.calls.push(call)
    this.#calls.set(name, call)
    return call
  }

  pass(seconds: number): void {
    this.#seconds += seconds
  }

  /** The CDRs of all calls that are still open never come, and their holds end. */
  passAll(): void {
    this.pass(ALL_EXPIRED_SECONDS)
    for (const call of this.calls) if (call.state === 'open') call.state = 'over'
  }

  /** What was taken is forgotten as far as its holds do not need it. No request may be running. */
  settleTaken(): void {
    for (const id of LIMITED_ACCOUNTS) {
      const needs = this.#chargedTo(id) + Number(this.holdsOf(id).held)
      this.#taken.set(id, Math.max(0, needs - this.#hasOf(id)))
    }
  }

  asking(call: DrawnCall): TableActor {
    return async (store, perform) => {
      const watch: Watch = { call, excused: new Set() }
      call.asking += 1
      this.#watches.add(watch)
      this.#requests += 1
      const nowMs = BEGIN_MS + this.#seconds * 1000
      const rest = { at: nowMs, now: new Date(nowMs), nonce: `n${this.#requests}` }
      const request = { name: call.name, cap: 3600, settings, ...rest }
      const payers = this.#limitedPayers(call)
      try {
        const pause = () => perform(() => {})
        const answer: Reservation =
          payers.length === 0
            ? { kind: 'held', seconds: 3600, holds: new Map() }
            : await reserve(store, payers, request, pause)
        this.#take(watch, answer)
      } catch (error) {
        this.#counts.undecided += 1
        throw error
      } finally {
        call.asking -= 1
        this.#watches.delete(watch)
      }
    }
  }

  #limitedPayers(call: DrawnCall): HoldPayer[] {
    const priced = perMinute(call.price)
    return call.payers
      .map((id) => readPayer(this.items.get(keyText(accountKey(id))) ?? {}))
      .filter((account) => isLimited(account, settings))
      .map((account) => ({ account, priced, isOwner: account.id < 10 }))
  }

  #take({ call, excused }: Watch, answer: Reservation): void {
    if (answer.kind === 'over') this.#counts.over += 1
    if (answer.kind === 'refused') {
      this.#counts.refused += 1
      const { id } = answer.payer.account
      if (!excused.has(id)) throw new Error(`account ${id} could pay a call refused by ${answer.reason}`)
    }
    if (answer.kind !== 'held') return
    this.#counts.allowed += 1
    call.seconds = Math.max(call.seconds, answer.seconds)
    for (const { account, priced } of answer.holds.keys()) {
      const price = Number(priceFor(priced, answer.seconds))
      call.exposed.set(account.id, Math.max(price, call.exposed.get(account.id) ?? 0))
    }
  }

  /** Another number is asked for after the attempt before it is over. */
  replaceNumber(call: DrawnCall, price: string): void {
    call.price = price
    call.exposed.clear()
    call.seconds = 0
  }

  /** The consumer of the CDR of a call that lasted for a number of seconds. */
  consuming(call: DrawnCall, seconds: number): TableActor {
    const end = BEGIN_MS / 1000 + this.#seconds + this.#ahead
    const { name, payers } = call
    const times = { start: end - seconds, end, billsec: seconds }
    const ended = payers.map((accountId) => ({ accountId, name, ...times, heldAt: undefined }))
    const consumer: TableActor = async (store, perform) => {
      const seen = await seeHolds(store, ended)
      await this.#charge(call, seconds, heldAtOf(settings, ended, seen), perform)
      const withNote = ended.map((one) => ({ ...one, heldAt: call.heldAt }))
      await settle({ store, now: end, settings }, withNote, seen)
    }
    call.consumer = consumer
    return consumer
  }

  /** The consumer of a CDR that comes again after its call was charged and settled. */
  consumingAgain(pick: (calls: readonly DrawnCall[]) => DrawnCall | undefined): TableActor | undefined {
    const call = pick(this.calls.filter(({ state, consumer }) => state === 'charged' && consumer))
    if (call) this.#counts.cameAgain += 1
    return call?.consumer
  }

  async #charge(call: DrawnCall, seconds: number, heldAt: string, perform: Perform): Promise<void> {
    await perform(() => {
      if (call.state !== 'open') return
      call.state = 'charged'
      call.heldAt = heldAt
      this.#counts.charged += 1
      for (const id of call.payers) {
        const key = balanceKey(id, 0)
        const charged = this.#chargedTo(id) + Number(priceFor(perMinute(call.price), seconds))
        this.#charged.set(id, charged)
        this.items.set(keyText(key), { ...key, charged: numberOf(String(charged)) })
      }
    })
  }

  /** The switch gives up a call that was not answered. */
  givingUp(call: DrawnCall): TableActor {
    call.state = 'over'
    const at = BEGIN_MS + this.#seconds * 1000
    return async (store) => {
      for (const id of call.payers) await release(store, id, call.name, at)
    }
  }

  /** Money of an account comes or goes: as a payment, or as its credit. */
  moving(id: number, by: number, column: 'balance' | 'credit'): TableActor {
    return async (_store, perform) => {
      await perform(() => this.#move(id, by, column))
    }
  }

  #move(id: number, by: number, column: 'balance' | 'credit'): void {
    const key = keyText(accountKey(id))
    const item: Item = this.items.get(key) ?? {}
    const after = Number(item[column]) + by
    if (column === 'credit' && after < 0) return
    this.items.set(key, { ...item, [column]: String(after) })
    this.#has.set(id, this.#hasOf(id) + by)
    this.#taken.set(id, (this.#taken.get(id) ?? 0) + Math.max(0, -by))
  }

  #openCalls = (): DrawnCall[] => this.calls.filter(({ state }) => state === 'open')

  #chargedTo = (id: number): number => this.#charged.get(id) ?? 0

  #hasOf(id: number): number {
    return this.#has.get(id) ?? 0
  }

  #owedBy(id: number): number {
    return (
      this.#chargedTo(id) + this.#openCalls().reduce((sum, { exposed }) => sum + (exposed.get(id) ?? 0), 0)
    )
  }

  holdsOf(id: number): Holds {
    return readHolds(this.items.get(keyText(holdsKey(id))))
  }

  /** The holds of an account that have not ended. */
  openHolds(id: number): string[] {
    const now = BEGIN_MS / 1000 + this.#seconds
    return [...this.holdsOf(id).texts.values()].filter((text) => readHold(text).until >= now)
  }

  /** By the table, with its credit, each account has what the model says, less what was charged. */
  async checkBooks(): Promise<void> {
    const found = await findBalances(
      plainStore(this.items, async (work) => work()),
      LIMITED_ACCOUNTS,
    )
    for (const [index, id] of LIMITED_ACCOUNTS.entries()) {
      const { account, balance } = found[index] ?? {}
      const has = Number(balance && totalOf(balance)) + Number(account?.credit)
      const wanted = this.#hasOf(id) - this.#chargedTo(id)
      if (has !== wanted) throw new Error(`account ${id} has ${has} by its books, not ${wanted}`)
    }
  }

  /** Checks one state, after a step. */
  check(): void {
    for (const id of LIMITED_ACCOUNTS) {
      const holds = this.holdsOf(id)
      this.#checkSum(id, holds)
      this.#checkMoney(id, holds)
      for (const watch of this.#watches) if (this.#isExcused(id, holds, watch)) watch.excused.add(id)
    }
    if (this.items.has(keyText(holdsKey(31)))) throw new Error('account 31 is not limited, and has a hold')
  }

  #checkSum(id: number, { held, open, texts }: Holds): void {
    const sum = sumOf([...texts.values()].map((text) => Number(readHold(text).amount)))
    if (Number(held) !== sum || open !== texts.size)
      throw new Error(`account ${id} holds ${held}, not ${sum}`)
  }

  #checkMoney(id: number, { texts }: Holds): void {
    const overdraft = this.#owedBy(id) - this.#hasOf(id) - (this.#taken.get(id) ?? 0)
    this.#counts.overdraft = Math.max(this.#counts.overdraft, overdraft)
    if (overdraft > 0) throw new Error(`account ${id} owes ${overdraft} more than it has`)
    const heldFor = (name: string) => Number(readHold(texts.get(name) ?? '0').amount)
    const lacking = this.#openCalls().some(({ name, exposed }) => heldFor(name) < (exposed.get(id) ?? 0))
    if (lacking) throw new Error(`account ${id} holds too little for a call`)
  }

  /** A refusal is right if the payer cannot pay the first step, or a crashed or late hold remains. */
  #isExcused(id: number, { texts }: Holds, { call }: Watch): boolean {
    const now = BEGIN_MS / 1000 + this.#seconds
    const others = [...texts]
      .map(([name, text]) => ({ other: this.#calls.get(name), hold: readHold(text) }))
      .filter(({ other, hold }) => other !== call && hold.until >= now)
    const left = this.#hasOf(id) - this.#chargedTo(id) - sumOf(others.map(({ hold }) => Number(hold.amount)))
    const isLeftBehind = others.some(({ other }) => !other || !isLive(other, id))
    return isLeftBehind || left < firstStep(call.price) || (id === 21 && others.length >= CALLS_LIMIT)
  }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

const isLive = ({ state, asking, exposed }: DrawnCall, id: number): boolean =>
  state === 'open' && (asking > 0 || exposed.has(id))
