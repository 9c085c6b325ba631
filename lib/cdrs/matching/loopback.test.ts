import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { INVOICE_OF_BOB, sendDocuments } from '#test/mediation/csv-switch.ts'
import { ABROAD, type LoopbackCall, loopbackLegs } from '#test/mediation/loopback-legs.ts'
import { SCENARIO_OPERATOR } from '#test/mediation/scenario-operator.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'

const ACME = 10
const GLOBEX = 11

/** If the caller executes the dialplan itself, its account code and the dial string's are one variable. */
const cases = (['off', 'bridge', 'execute'] as const).flatMap((bowout) =>
  [true, false].flatMap((isSparse) =>
    [ABROAD, '1003'].flatMap((dialled) =>
      (bowout === 'execute' ? [undefined, 'globex'] : [undefined, 'acme', 'globex']).map((accountCode) => ({
        bowout,
        isSparse,
        dialled,
        accountCode,
      })),
    ),
  ),
)

/** The payer: the dial string's account, otherwise the forwarding extension's, otherwise the caller. */
function payerOf({ dialled, accountCode }: LoopbackCall): number {
  if (accountCode !== undefined) return accountCode === 'acme' ? ACME : GLOBEX
  return dialled === ABROAD ? ACME : GLOBEX
}

const permutations = <T>(some: readonly T[]): T[][] =>
  some.length < 2
    ? [[...some]]
    : some.flatMap((one, index) => permutations(some.toSpliced(index, 1)).map((others) => [one, ...others]))

/** The legs of a call in one order, as a switch of its own sends them. */
interface Sent {
  readonly source: string
  readonly call: LoopbackCall
  readonly legs: readonly unknown[]
}

const documentOf = ({ source }: Sent, legs: readonly unknown[]) => ({
  format: 'freeswitch-json' as const,
  source,
  zone: 'UTC',
  text: legs.map((leg) => JSON.stringify(leg)).join('\n'),
})

/** Each call in several orders. All calls together come in each order. */
const inOrders = (calls: readonly LoopbackCall[], orders: number): Sent[] =>
  calls.flatMap((call, number) => {
    const all = permutations(loopbackLegs(call))
    return Array.from({ length: orders }, (_, index) => {
      const order = (number * orders + index) % all.length
      return { source: `fs-${number}-${order}`, call, legs: all[order] ?? [] }
    })
  })

const billedCalls = async (world: World) =>
  callsIn(await world.dump())
    .filter(({ dst }) => dst === ABROAD)
    .map(({ source, user_id, billsec, user_price, provider_id }) =>
      [source, user_id, billsec, user_price, provider_id].join(' '),
    )
    .sort()

const once = (sent: readonly Sent[]): string[] =>
  sent.map(({ source, call }) => `${source} ${payerOf(call)} 60 0.6 1`).sort()

test('the legs of a call through a loopback are one call, in one document and in any order', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const sent = inOrders(cases, 2)
  for (const _delivery of ['first', 'again']) {
    await sendDocuments(
      world,
      sent.map((one) => documentOf(one, one.legs)),
    )
    expect(await billedCalls(world)).toEqual(once(sent))
  }
  expect(await suspenseOf(world)).toEqual([])
  expect(await damageIn(world, await world.dump())).toEqual([])
})

test("a loopback call's legs are one call if they come one by one, in any order, and again", async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const sent = inOrders(cases, 3)
  for (const round of [0, 1, 2, 3, 3, 2, 1, 0]) {
    await sendDocuments(
      world,
      sent.map((one) => documentOf(one, one.legs.slice(round, round + 1))),
    )
  }
  expect(await billedCalls(world)).toEqual(once(sent))
  expect(await suspenseOf(world)).toEqual([])
  expect(await damageIn(world, await world.dump())).toEqual([])
})

test('a loopback leg is suspended until the leg that dialled it, and leaves suspense with it', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const call = { dialled: ABROAD, bowout: 'bridge', isSparse: true } as const
  const [caller, a, b, trunk] = loopbackLegs(call)
  const sent = { source: 'fs1', call, legs: [] }

  expect(await sendDocuments(world, [documentOf(sent, [trunk, b, a])])).toMatchObject({
    suspended: 2,
    skipped: 1,
  })
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual([
    'unknown_account',
    'unknown_account',
  ])

  expect(await sendDocuments(world, [documentOf(sent, [caller])])).toMatchObject({ stored: 1 })
  expect(await suspenseOf(world)).toEqual([])
  expect(await billedCalls(world)).toEqual([`fs1 ${ACME} 60 0.6 1`])
})

test('a loopback that no leg dialled is billed by its leg that called the trunk', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const call = { dialled: ABROAD, bowout: 'off', accountCode: 'acme' } as const
  const legs = loopbackLegs(call).slice(1)
  const originated = JSON.stringify(legs).replaceAll(
    /"(?:network_addr|other_loopback_from_uuid)":"[^"]*",?/g,
    '',
  )

  const document = {
    ...documentOf({ source: 'fs1', call, legs }, []),
    text: originated.replaceAll(',}', '}'),
  }
  for (const _delivery of ['first', 'again']) await sendDocuments(world, [document])
  expect(await billedCalls(world)).toEqual([`fs1 ${ACME} 60 0.6 1`])
  expect(await suspenseOf(world)).toEqual([])
})

test('a forward through a loopback to a phone bills only the call to the extension', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const call = { dialled: '1003', bowout: 'off', accountCode: 'globex' } as const
  const [caller, a, b] = JSON.parse(
    JSON.stringify(loopbackLegs(call)).replaceAll('sofia%2Fgateway%2Fpotomac', 'user'),
  )
  b.callflow[0].caller_profile.originatee.originatee_caller_profiles[0].chan_name =
    'sofia/internal/sip:1003@192.0.2.9'

  const legs = [caller, a, b]
  await sendDocuments(world, [documentOf({ source: 'fs1', call, legs }, legs)])
  expect(callsIn(await world.dump())).toMatchObject([{ dst: '1003', rated: 'internal' }])
  expect(await suspenseOf(world)).toEqual([])
})

test('a further leg tells the carrier of a call on an invoiced day, and changes no price', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const call = { dialled: ABROAD, bowout: 'off', accountCode: 'globex' } as const
  const [caller, ...others] = loopbackLegs({ ...call, accountCode: undefined })
  const sent = { source: 'fs1', call, legs: [] }
  await sendDocuments(world, [documentOf(sent, [caller])])
  await world.given({ invoices: [{ ...INVOICE_OF_BOB, user_id: String(ACME) }] })

  await sendDocuments(world, [documentOf(sent, others)])
  expect(await billedCalls(world)).toEqual([`fs1 ${ACME} 60 0.6 1`])
  await sendDocuments(world, [documentOf(sent, loopbackLegs(call).slice(1))])
  expect(await billedCalls(world)).toEqual([`fs1 ${ACME} 60 0.6 1`])
  expect((await suspenseOf(world)).map(({ reason }) => reason)).toEqual(['invoiced'])
})
