import { describe, expect, test } from 'vitest'
import { readPayer } from '#lib/accounts/limits.ts'
import { add, isLessThan, type Money } from '#lib/base/money.ts'
import { balanceKey } from '#lib/billing/balance-item.ts'
import { readSettings } from '#lib/settings/settings.ts'
import { type Item, numberOf } from '#lib/table/items.ts'
import { accountKey, type Key, keyText } from '#lib/table/keys.ts'
import type { Assignments, Conditions } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { explore, type Scene, type TableActor } from '#test/control/explorer.ts'
import { itemsOf, type PlainItems } from '#test/control/plain-table.ts'
import { people } from '#test/examples/examples.ts'
import { isNight } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'
import { ADOPTED, type Hold, holdName, holdsKey, holdText, readHold, readHolds } from './holds.ts'
import { type CallRequest, type HoldPayer, type PricedRate, priceFor } from './plan.ts'
import { type Reservation, reserve } from './reserve.ts'
import { heldAtOf, release, seeHolds, settle } from './settle.ts'

const settings = readSettings({
  Call_Control: '1',
  Balance_From: '2026-03-01',
  Hangup_Margin_Seconds: '0',
  Reserve_Seconds: '60',
})

/** A minute costs so much, and is paid in full once it begins. */
const perMinute = (tariff_rate: Money): PricedRate => ({
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
interface Stage {
  readonly items: PlainItems
  readonly money: Readonly<Record<number, Money>>
  readonly calls: Map<string, ModelCall>
  readonly waiting: Map<string, (() => void)[]>
  requests: number
}

const aStage = (accountItems: readonly Item[], money: Stage['money']): Stage => ({
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
const asking =
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

const allowedCalls = ({ calls }: Stage): string[] =>
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
const consuming =
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
const givingUp =
  (stage: Stage, call: string, payers: readonly number[]): TableActor =>
  async (store) => {
    await whenAllowed(stage, call)
    callNamed(stage, call).isOver = true
    for (const id of payers) await release(store, id, nameOfHold(call), NOW.getTime() + 1000)
  }

/** Money of an account is moved away, and comes back. */
const movingMoney =
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

const holdsOf = ({ items }: Stage, id: number) => readHolds(items.get(keyText(holdsKey(id))))

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
function givenHold({ items }: Stage, call: string, id: number, rest: Partial<Hold> = {}): void {
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
const sceneOf = (stage: Stage, actors: readonly TableActor[], more: Partial<Scene> = {}): Scene => ({
  items: stage.items,
  actors,
  check: () => {
    for (const [id, has] of Object.entries(stage.money)) checkAccount(stage, Number(id), has)
  },
  ...more,
})

// Every order in which callers, copies of a request, consumers, releases and an owner's customers may reach
// the table. The real protocol runs on a table in memory, request by request.

const [OWNER, ONE, OTHER] = [2, 20, 21]

const accounts = aWorld({
  users: [
    ...people,
    { ...people.find(({ username }) => username === 'carol'), id: '21', username: 'cleo' },
  ] as typeof people,
}).then(async (world) =>
  (await world.dump()).filter(
    ({ PK, SK }) => [OWNER, ONE, OTHER].some((id) => accountKey(id).PK === PK) && SK === 'USER',
  ),
)

const items = (await accounts) as readonly Item[]

/** A protocol without one of its rules: it changes the requests of a store. */
type Mutation = (store: Store, actor: number, stage: Stage) => Store

type Family = (mutation?: Mutation) => () => Scene

const withRules = (stage: Stage, mutation: Mutation | undefined): Partial<Scene> =>
  mutation ? { storeFor: (store, actor) => mutation(store, actor, stage) } : {}

const fail = (message: string): never => {
  throw new Error(message)
}

/** The number of calls that have been allowed at the end, and what is held of these accounts. */
interface End {
  readonly allowed?: number
  readonly held?: Readonly<Record<number, string>>
}

/** A family: its money, its actors, what is in the table before, and what the end is in every order. */
const family =
  (money: Stage['money'], actorsOf: (stage: Stage) => readonly TableActor[], end: End = {}): Family =>
  (mutation) =>
  () => {
    const stage = aStage(items, money)
    const actors = actorsOf(stage)
    return sceneOf(stage, actors, { checkEnd: () => checkEnd(stage, end), ...withRules(stage, mutation) })
  }

function checkEnd(stage: Stage, { allowed, held = {} }: End): void {
  const count = allowedCalls(stage).length
  if (allowed !== undefined && count !== allowed) fail(`${count} calls have the money of ${allowed}`)
  for (const [id, amount] of Object.entries(held)) {
    const { held: isHeld } = holdsOf(stage, Number(id))
    if (isHeld !== amount) fail(`account ${id} holds ${isHeld}, not ${amount}`)
  }
}

const expensive = { priced: perMinute('2'), at: 1 }

/** A call, its CDR at two consumers, a call under its id a second after its end, and another caller. */
const usedAgain = (stage: Stage, options: Parameters<typeof consuming>[3]): TableActor[] => [
  asking(stage, 'a', [ONE]),
  consuming(stage, 'a', [ONE], options),
  consuming(stage, 'a', [ONE], options),
  asking(stage, 'a again', [ONE], { at: 61, after: 'a' }),
  asking(stage, 'b', [ONE], { at: 61 }),
]

const FAMILIES: Readonly<Record<string, Family>> = {
  'three callers of the last money': family(
    { [ONE]: '1' },
    (stage) => ['a', 'b', 'c'].map((call) => asking(stage, call, [ONE])),
    { allowed: 1, held: { [ONE]: '1' } },
  ),
  'a request and its copy': family(
    { [ONE]: '2' },
    (stage) => ['a', 'a'].map((call) => asking(stage, call, [ONE])),
    { allowed: 1, held: { [ONE]: '1' } },
  ),
  'a request, its copy and another caller': family(
    { [ONE]: '1' },
    (stage) => ['a', 'a', 'b'].map((call) => asking(stage, call, [ONE])),
    { allowed: 1, held: { [ONE]: '1' } },
  ),
  'a call that ends, and another caller': family({ [ONE]: '1' }, (stage) => [
    asking(stage, 'a', [ONE]),
    consuming(stage, 'a', [ONE]),
    asking(stage, 'b', [ONE]),
  ]),
  'a CDR at two consumers, and another caller': family({ [ONE]: '2' }, (stage) => [
    asking(stage, 'a', [ONE]),
    consuming(stage, 'a', [ONE]),
    consuming(stage, 'a', [ONE]),
    asking(stage, 'b', [ONE]),
  ]),
  'an expired hold, and two callers': family(
    { [ONE]: '1' },
    (stage) => {
      givenHold(stage, 'old', ONE, { until: 1, at: 0 })
      return ['a', 'b'].map((call) => asking(stage, call, [ONE]))
    },
    { allowed: 1, held: { [ONE]: '1' } },
  ),
  'the expired hold of a call that asks again, and another caller': family(
    { [ONE]: '1' },
    (stage) => {
      givenHold(stage, 'a', ONE, { until: 1, at: 0 })
      return ['a', 'b'].map((call) => asking(stage, call, [ONE]))
    },
    { allowed: 1, held: { [ONE]: '1' } },
  ),
  'a release, and another caller': family({ [ONE]: '1' }, (stage) => [
    asking(stage, 'a', [ONE]),
    givingUp(stage, 'a', [ONE]),
    asking(stage, 'b', [ONE]),
  ]),
  'a release and a CDR, and another caller': family({ [ONE]: '1' }, (stage) => [
    asking(stage, 'a', [ONE]),
    consuming(stage, 'a', [ONE]),
    givingUp(stage, 'a', [ONE]),
  ]),
  'a more expensive number in place of a hold, a copy, and another caller': family(
    { [ONE]: '3' },
    (stage) => {
      givenHold(stage, 'a', ONE, { at: 0 })
      return [
        asking(stage, 'a', [ONE], expensive),
        asking(stage, 'a', [ONE], expensive),
        asking(stage, 'b', [ONE]),
      ]
    },
    { allowed: 2, held: { [ONE]: '3' } },
  ),
  'a more expensive number that another call leaves no money for': family(
    { [ONE]: '2' },
    (stage) => {
      givenHold(stage, 'a', ONE, { at: 0 })
      return [asking(stage, 'a', [ONE], expensive), asking(stage, 'b', [ONE])]
    },
    { allowed: 1, held: { [ONE]: '2' } },
  ),
  'two customers of an owner who can pay one call': family(
    { [OWNER]: '1', [ONE]: '5', [OTHER]: '5' },
    (stage) => [asking(stage, 'a', [OWNER, ONE]), asking(stage, 'b', [OWNER, OTHER])],
    { allowed: 1, held: { [OWNER]: '1' } },
  ),
  'two calls of a customer who can pay one, and its owner': family(
    { [OWNER]: '5', [ONE]: '1' },
    (stage) => ['a', 'b'].map((call) => asking(stage, call, [OWNER, ONE])),
    { allowed: 1, held: { [OWNER]: '1', [ONE]: '1' } },
  ),
  'an id that is used again, and the CDR of its first call twice': family(
    { [ONE]: '2' },
    (stage) => usedAgain(stage, {}),
    { held: { [ONE]: '1' } },
  ),
  'an id that is used again, by a switch whose clock is behind': family(
    { [ONE]: '2' },
    (stage) => usedAgain(stage, { ahead: -100 }),
    { held: { [ONE]: '1' } },
  ),
  'an id that is used again, by a switch whose clock is ahead': family(
    { [ONE]: '2' },
    (stage) => usedAgain(stage, { ahead: 100 }),
    { held: { [ONE]: '1' } },
  ),
  'copies of a call with an owner, which ends': family({ [OWNER]: '1', [ONE]: '1' }, (stage) => [
    asking(stage, 'a', [OWNER, ONE]),
    asking(stage, 'a', [OWNER, ONE]),
    consuming(stage, 'a', [OWNER, ONE]),
  ]),
  'copies of a call with an owner, while the money of the customer moves': family(
    { [OWNER]: '1', [ONE]: '1' },
    (stage) => [asking(stage, 'a', [OWNER, ONE]), asking(stage, 'a', [OWNER, ONE]), movingMoney(stage, ONE)],
  ),
}

/** Each takes as long as all others together: at night. Another use of an id by day stands for the two clocks. */
const LONG: readonly string[] = [
  'an id that is used again, by a switch whose clock is behind',
  'an id that is used again, by a switch whose clock is ahead',
  'copies of a call with an owner, while the money of the customer moves',
]

const families = Object.entries(FAMILIES).filter(([name]) => isNight || !LONG.includes(name))

describe('the protocol', () => {
  test.each(families)('%s', { timeout: 120_000 }, async (_name, family) => {
    expect(await explore(family())).toBeGreaterThan(10)
  })
})

/** The same store, whose updates are changed. */
const updating = (
  store: Store,
  change: (...update: [Key, Assignments, Conditions]) => [Key, Assignments, Conditions],
): Store => ({
  ...store,
  update: (key, to, when = {}) => store.update(...change(key, to, when)),
})

const without =
  (condition: (name: string) => boolean): Mutation =>
  (store) =>
    updating(store, (key, to, when) => [
      key,
      to,
      Object.fromEntries(Object.entries(when).filter(([name]) => !condition(name))),
    ])

const isHoldName = (name: string) => /^h[\w-]{22}$/.test(name)

/** Money that is read together with the holds: both in one request, which is not a snapshot. */
const moneyReadFirst: Mutation = (store, _actor, { items: table }) => {
  let before: readonly [string, Item][] = []
  return {
    ...store,
    getMany: async (keys) => {
      const isOfHolds = keys.some(({ SK }) => SK === 'HOLDS')
      if (!isOfHolds) {
        const known = new Map(before)
        return (await store.getMany(keys)).map((_item, index) => known.get(keyText(keys[index] as Key)))
      }
      before = [...table]
      await store.getMany([])
      return store.getMany(keys)
    },
  }
}

/** The item is removed when it has no hold left, so its epoch begins again. */
const removedWhenEmpty: Mutation = (store, _actor, { items: table }) => ({
  ...store,
  update: async (key, to, when) => {
    const after = await store.update(key, to, when)
    if (key.SK === holdsKey(1).SK && Number(after['open']) === 0) table.delete(keyText(key))
    return after
  },
})

/** A request that relies on the hold of another one does not say so. */
const notAdopted: Mutation = (store) => ({
  ...store,
  update: async (key, to, when) =>
    Object.values(to.set ?? {}).some((text) => String(text).endsWith(` ${ADOPTED}`))
      ? (table0(key) as Item)
      : store.update(key, to, when),
})

const table0 = (key: Key): Item => ({ ...key, held: numberOf('0') })

test.each<[string, string, Mutation]>([
  ['the number of releases', 'a call that ends, and another caller', without((name) => name === 'epoch')],
  ['the sum of the holds', 'three callers of the last money', without((name) => name === 'held')],
  ['that a call has no hold yet', 'a request and its copy', without(isHoldName)],
  ['the value of a hold that is released', 'a CDR at two consumers, and another caller', without(isHoldName)],
  ['money that is read after the holds', 'a call that ends, and another caller', moneyReadFirst],
  ['an item that is never removed', 'a call that ends, and another caller', removedWhenEmpty],
  [
    'an owner’s hold that others rely on',
    'copies of a call with an owner, while the money of the customer moves',
    notAdopted,
  ],
])('without %s, money is lost in: %s', { timeout: 120_000 }, async (_rule, name, mutation) => {
  await expect(explore(FAMILIES[name]?.(mutation) ?? fail(name))).rejects.toThrow(/has|hold/)
})

test('a hold that is released before its call is charged overdraws', async () => {
  const begin = () => {
    const stage = aStage(items, { [ONE]: '1' })
    const actors = [
      asking(stage, 'a', [ONE]),
      consuming(stage, 'a', [ONE], { isReleasedFirst: true }),
      asking(stage, 'b', [ONE]),
    ]
    return sceneOf(stage, actors)
  }
  await expect(explore(begin)).rejects.toThrow(/owes|holds/)
})

test('a call that does not note its hold releases that of the next call under its id', async () => {
  const begin = () => {
    const stage = aStage(items, { [ONE]: '2' })
    return sceneOf(stage, usedAgain(stage, { ahead: 100, notes: false }))
  }
  await expect(explore(begin)).rejects.toThrow(/holds too little/)
})
