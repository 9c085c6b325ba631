import { readPayer } from '#lib/accounts/limits.ts'
import { add, isLessThan, type Money } from '#lib/base/money.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { type Hold, holdName, holdsKey, holdText, readHold, readHolds } from '#lib/control/holds.ts'
import { type CallRequest, type HoldPayer, type PricedRate, priceFor } from '#lib/control/plan.ts'
import { type Reservation, reserve } from '#lib/control/reserve.ts'
import { heldAtOf, release, seeHolds, settle } from '#lib/control/settle.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { type Item, numberOf } from '#lib/table/items.ts'
import { accountKey, keyText } from '#lib/table/keys.ts'
import type { Scene, TableActor } from './explorer.ts'
import { itemsOf, type PlainItems } from './plain-table.ts'

const settings = readSettings({
  Call_Control: '1',
  Balance_From: '2026-03-01',
  Hangup_Margin_Seconds: '0',
  Reserve_Seconds: '60',
})

/** A minute costs so much, and is paid in full once it begins. */
export const perMinute = (tariff_rate: Money): PricedRate => ({
  rate: { tariff_rate, con_fee: '0', increment: 60, min_time: 0 },
  exchangeRate: '1',
})

const NOW = new Date('2026-03-10T12:00:00Z')

/** A call that a switch may begin: the answers that it got, whether it is charged, and the holds it noted. */
interface ModelCall {
  readonly answers: Reservation[]
  isCharged: boolean
  isSettled: boolean
  isOver: boolean
  heldAt?: string
}

interface Asking {
  readonly priced?: PricedRate
  /** Seconds after the first moment. */
  readonly at?: number
  readonly now?: number
  /** The call that has to be settled first. */
  readonly after?: string
}

/** A table of prepaid accounts, and the calls that a switch asks for. */
export interface Stage {
  readonly items: PlainItems
  readonly money: Readonly<Record<number, Money>>
  readonly calls: Map<string, ModelCall>
  readonly waiting: Map<string, (() => void)[]>
  requests: number
}

export const aStage = (accountItems: readonly Item[], money: Stage['money']): Stage => ({
  items: itemsOf(
    accountItems.map((item) => {
      const balance = money[Number(item['id'])]
      return balance === undefined ? item : { ...item, balance, postpaid: false, credit: '0' }
    }),
  ),
  money,
  calls: new Map(),
  waiting: new Map(),
  requests: 0,
})

function callNamed({ calls }: Stage, name: string): ModelCall {
  const call = calls.get(name) ?? { answers: [], isCharged: false, isSettled: false, isOver: false }
  calls.set(name, call)
  return call
}

/** The id of `a again` is `a`. */
const nameOfHold = (call: string): string => holdName({ source: 'sw', uniqueid: call.split(' ')[0] ?? call })

const payerOf = ({ items }: Stage, id: number, isOwner: boolean, priced: PricedRate): HoldPayer => ({
  account: readPayer(items.get(keyText(accountKey(id))) ?? {}),
  isOwner,
  priced,
})

/** Asks for a call of the last of these accounts. The others own it. */
export const asking =
  (stage: Stage, call: string, ids: readonly number[], options: Asking = {}): TableActor =>
  async (store) => {
    const { priced = perMinute('1'), at = 0, now = at, after } = options
    if (after) await until(stage, after, ({ isSettled }) => isSettled)
    stage.requests += 1
    const request: CallRequest = {
      name: nameOfHold(call),
      at: NOW.getTime() + at * 1000,
      now: new Date(NOW.getTime() + now * 1000),
      cap: 3600,
      nonce: `n${stage.requests}`,
      settings,
    }
    const payers = ids.map((id, index) => payerOf(stage, id, index < ids.length - 1, priced))
    const answer = await reserve(store, payers, request, async () => {})
    callNamed(stage, call).answers.push(answer)
    awake(stage, call)
  }

/** Waits until a call is in a state. */
async function until(stage: Stage, call: string, isReached: (call: ModelCall) => boolean): Promise<void> {
  while (!isReached(callNamed(stage, call)))
    await new Promise<void>((resolve) => {
      stage.waiting.set(call, [...(stage.waiting.get(call) ?? []), resolve])
    })
}

function awake({ waiting }: Stage, call: string): void {
  const resolves = waiting.get(call) ?? []
  waiting.delete(call)
  for (const resolve of resolves) resolve()
}

const whenAllowed = (stage: Stage, call: string) => until(stage, call, isAllowed)

const isAllowed = ({ answers }: ModelCall): boolean => answers.some(({ kind }) => kind === 'held')

export const allowedCalls = ({ calls }: Stage): string[] =>
  [...calls].filter(([, call]) => isAllowed(call)).map(([name]) => name)

/** Charges a call once, as the transaction that stores it does, and notes the holds in it. */
function charge({ items, ...stage }: Stage, name: string, payers: readonly number[], heldAt: string): void {
  const call = callNamed({ items, ...stage }, name)
  if (call.isCharged) return
  call.isCharged = true
  call.heldAt = heldAt
  for (const id of payers) {
    const key = balanceKey(id, 0)
    const charged = numberOf(add(chargedTo(items, id), priceOfCall(call, id)))
    items.set(keyText(key), { ...key, charged })
  }
}

const chargedTo = (items: PlainItems, id: number): Money =>
  String((items.get(keyText(balanceKey(id, 0))) as Item | undefined)?.['charged'] ?? '0')

interface Consuming {
  readonly isReleasedFirst?: boolean
  /** Seconds by which the clock of the switch is ahead. */
  readonly ahead?: number
  /** Without it, the clocks alone tell which hold is the call's own. */
  readonly notes?: boolean
}

/** The consumer of the CDR of a call that is over. */
export const consuming =
  (stage: Stage, call: string, payers: readonly number[], options: Consuming = {}): TableActor =>
  async (store, perform) => {
    await whenAllowed(stage, call)
    const { isReleasedFirst = false, ahead = 0, notes = true } = options
    const end = NOW.getTime() / 1000 + 60 + ahead
    const times = { start: end - 60, end, billsec: 60 }
    const name = nameOfHold(call)
    const ended = payers.map((accountId) => ({ accountId, name, ...times, heldAt: undefined }))
    const seen = await seeHolds(store, ended)
    const noted = heldAtOf(settings, ended, seen)
    const heldAt = () => (notes ? (callNamed(stage, call).heldAt ?? noted) : undefined)
    const withNote = () => ended.map((one) => ({ ...one, heldAt: heldAt() }))
    const steps = [
      () => perform(() => charge(stage, call, payers, noted)),
      () => settle({ store, now: end, settings }, withNote(), seen),
    ]
    for (const step of isReleasedFirst ? steps.toReversed() : steps) await step()
    callNamed(stage, call).isSettled = true
    awake(stage, call)
  }

/** The switch gives up a call that was allowed and not answered. */
export const givingUp =
  (stage: Stage, call: string, payers: readonly number[]): TableActor =>
  async (store) => {
    await whenAllowed(stage, call)
    callNamed(stage, call).isOver = true
    for (const id of payers) await release(store, id, nameOfHold(call), NOW.getTime() + 1000)
  }

/** Money of an account is moved away, and comes back. */
export const movingMoney =
  ({ items, money }: Stage, id: number): TableActor =>
  async (_store, perform) => {
    for (const balance of ['0', money[id] ?? '0'])
      await perform(() => {
        const key = keyText(accountKey(id))
        items.set(key, { ...items.get(key), balance })
      })
  }

/** The price of the longest call that the switch may have made of its answers. */
function priceOfCall({ answers }: ModelCall, id: number): Money {
  const prices = answers.flatMap((answer) => {
    if (answer.kind !== 'held') return []
    const payer = [...answer.holds.keys()].find(({ account }) => account.id === id)
    return payer ? [priceFor(payer.priced, answer.seconds)] : []
  })
  return prices.reduce((most, price) => (isLessThan(most, price) ? price : most), '0')
}

export const holdsOf = ({ items }: Stage, id: number) => readHolds(items.get(keyText(holdsKey(id))))

/** No account owes more than it has, whatever allowed calls still cost, and holds are as stored. */
function checkAccount(stage: Stage, id: number, has: Money): void {
  const open = [...stage.calls.values()].filter(({ isCharged, isOver }) => !isCharged && !isOver)
  const exposed = open.map((call) => priceOfCall(call, id))
  const owes = add(chargedTo(stage.items, id), ...exposed)
  if (isLessThan(has, owes)) throw new Error(`account ${id} has ${has}, and owes ${owes}`)
  const { held, open: number, texts } = holdsOf(stage, id)
  const holdsFor = (name: string) => readHold(texts.get(nameOfHold(name)) ?? '0').amount
  const lacking = [...stage.calls].find(
    ([name, call]) => open.includes(call) && isLessThan(holdsFor(name), priceOfCall(call, id)),
  )
  if (lacking) throw new Error(`account ${id} holds too little for the call ${lacking[0]}`)
  const sum = add('0', ...[...texts.values()].map((text) => readHold(text).amount))
  if (held !== sum || number !== texts.size) throw new Error(`account ${id} holds ${held}, not ${sum}`)
}

/** Puts an earlier hold into the table. */
export function givenHold({ items }: Stage, call: string, id: number, rest: Partial<Hold> = {}): void {
  const before = items.get(keyText(holdsKey(id))) ?? holdsKey(id)
  const { held, open } = readHolds(before)
  const until = NOW.getTime() / 1000 + 1260
  const hold = { amount: '1', seconds: 60, until, at: NOW.getTime(), nonce: 'n0', ...rest }
  items.set(keyText(holdsKey(id)), {
    ...before,
    held: numberOf(add(held, hold.amount)),
    open: open + 1,
    [nameOfHold(call)]: holdText(hold),
  })
}

/** A scene of a stage. */
export const sceneOf = (stage: Stage, actors: readonly TableActor[], more: Partial<Scene> = {}): Scene => ({
  items: stage.items,
  actors,
  check: () => {
    for (const [id, has] of Object.entries(stage.money)) checkAccount(stage, Number(id), has)
  },
  ...more,
})
