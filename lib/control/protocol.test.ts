import { describe, expect, test } from 'vitest'
import { type Item, numberOf } from '#lib/table/items.ts'
import { accountKey, type Key, keyText } from '#lib/table/keys.ts'
import type { Assignments, Conditions } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'
import { explore, type Scene, type TableActor } from '#test/control/explorer.ts'
import {
  allowedCalls,
  aStage,
  asking,
  consuming,
  givenHold,
  givingUp,
  holdsOf,
  movingMoney,
  perMinute,
  type Stage,
  sceneOf,
} from '#test/control/scenes.ts'
import { people } from '#test/examples/examples.ts'
import { isNight } from '#test/sweep.ts'
import { aWorld } from '#test/world.ts'
import { ADOPTED, holdsKey } from './holds.ts'

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
