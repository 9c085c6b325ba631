import { readPayer } from '#lib/accounts/limits.ts'
import { add, isLessThan, type Money } from '#lib/base/money.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { type Hold, holdName, holdsKey, holdText, readHold, readHolds } from '#lib/control/holds.ts'
import { type CallRequest, type HoldPayer, type PricedRate, priceFor } from '#lib/control/plan.ts'
import { type Reservation, reserve } from '#lib/control/reserve.ts'
import { release, settle } from '#lib/control/settle.ts'
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

/** A call that a switch may begin: the answers that it got, and whether it is charged. */
interface ModelCall {
  readonly answers: Reservation[]
  isCharged: boolean
  isOver: boolean
}

interface Asking {
  readonly priced?: PricedRate
  /** Seconds after the first moment. */
  readonly at?: number
  readonly now?: number
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
  const call = calls.get(name) ?? { answers: [], isCharged: false, isOver: false }
  calls.set(name, call)
  return call
}

const nameOfHold = (call: string): string => holdName({ source: 'sw', uniqueid: call })

const payerOf = ({ items }: Stage, id: number, isOwner: boolean, priced: PricedRate): HoldPayer => ({
  account: readPayer(items.get(keyText(accountKey(id))) ?? {}),
  isOwner,
  priced,
})

/** Asks for a call of the last of these accounts. The others own it. */
export const asking =
  (stage: Stage, call: string, ids: readonly number[], options: Asking = {}): TableActor =>
  async (store) => {
    const { priced = perMinute('1'), at = 0, now = at } = options
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
    if (answer.kind === 'held') for (const begin of stage.waiting.get(call) ?? []) begin()
  }

const whenAllowed = (stage: Stage, call: string) =>
  new Promise<void>((resolve) => {
    if (isAllowed(callNamed(stage, call))) resolve()
    else stage.waiting.set(call, [...(stage.waiting.get(call) ?? []), resolve])
  })

const isAllowed = ({ answers }: ModelCall): boolean => answers.some(({ kind }) => kind === 'held')

export const allowedCalls = ({ calls }: Stage): string[] =>
  [...calls].filter(([, call]) => isAllowed(call)).map(([name]) => name)

/** Charges a call once, as the transaction that stores it does. */
function charge({ items, ...stage }: Stage, name: string, payers: readonly number[]): void {
  const call = callNamed({ items, ...stage }, name)
  if (call.isCharged) return
  call.isCharged = true
  for (const id of payers) {
    const key = balanceKey(id, 0)
    const charged = numberOf(add(chargedTo(items, id), priceOfCall(call, id)))
    items.set(keyText(key), { ...key, charged })
  }
}

const chargedTo = (items: PlainItems, id: number): Money =>
  String((items.get(keyText(balanceKey(id, 0))) as Item | undefined)?.['charged'] ?? '0')

/** The consumer of the CDR of a call that is over. */
export const consuming =
  (stage: Stage, call: string, payers: readonly number[], isReleasedFirst = false): TableActor =>
  async (store, perform) => {
    await whenAllowed(stage, call)
    const end = NOW.getTime() / 1000 + 60
    const ended = payers.map((accountId) => ({ accountId, name: nameOfHold(call), end, billsec: 60 }))
    const steps = [
      () => perform(() => charge(stage, call, payers)),
      () => settle({ store, now: end, settings }, ended),
    ]
    for (const step of isReleasedFirst ? steps.toReversed() : steps) await step()
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
