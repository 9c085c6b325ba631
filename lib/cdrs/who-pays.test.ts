import { expect, test } from 'vitest'
import { callsIn, suspenseOf } from '#test/dump.ts'
import { send } from '#test/mediation/csv-switch.ts'
import { SCENARIO_OPERATOR } from '#test/mediation/scenario-operator.ts'
import { aWorld, type World } from '#test/world.ts'
import { scenariosOf } from '#tools/contracts/scenarios.ts'
import { openMediation } from './mediation.ts'
import { retryBatches } from './pipeline/retry.ts'

const [ACME, GLOBEX] = [10, 11]
const ABROAD = '442079460000'

/** The legs that FreeSWITCH writes in a scenario. */
function legsOf(scenario: string): string[] {
  const found = scenariosOf('freeswitch').find(({ name }) => name === scenario)
  const document = found?.documents.find(({ file }) => file === 'a.ndjson')
  return (document?.text ?? '').split('\n').filter((line) => line !== '')
}

const sendLegs = (world: World, ...legs: readonly string[]) =>
  send(world, { format: 'freeswitch-json', text: legs.join('\n') })

const abroad = async (world: World) =>
  callsIn(await world.dump())
    .filter(({ dst }) => dst === ABROAD)
    .map(({ user_id, device_id, incoming, user_price }) => ({ user_id, device_id, incoming, user_price }))

test.each([
  ['the caller', 'outbound', ACME, 1],
  ['the caller, where it reached an IVR before', 'ivr-to-trunk', ACME, 1],
  ['the customer of the extension that forwards', 'forward-by-switch', GLOBEX, 3],
  ['the customer of the extension that transfers', 'blind-transfer-by-callee', GLOBEX, 3],
  ['the customer of the DID that forwards, although receiving is free', 'did-to-trunk', GLOBEX, undefined],
])('a number abroad is paid by %s', async (_who, scenario, user_id, device_id) => {
  const world = await aWorld(SCENARIO_OPERATOR)
  await sendLegs(world, ...legsOf(scenario))

  expect(await abroad(world)).toEqual([{ user_id, device_id, incoming: false, user_price: '0.6' }])
})

test('an extension that forwards pays, also if its name is a DID of another customer', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  await world.given({ dids: [{ id: '2', did: '1003', owner_id: '0', user_id: '10' }] })
  await sendLegs(world, ...legsOf('forward-by-switch'))

  expect(await abroad(world)).toMatchObject([{ user_id: GLOBEX, device_id: 3 }])
})

const [caller = '', transferred = ''] = legsOf('blind-transfer-by-caller')
const PAID_BY_CALLER = [{ user_id: ACME, device_id: 1, incoming: false, user_price: '0.6' }]

test.each([
  ['in one document', [[caller, transferred]]],
  ['in one document, the transferred one first', [[transferred, caller]]],
  ['in two documents', [[caller], [transferred]]],
])('the customer of a leg pays for the leg that it dialled, %s', async (_how, documents) => {
  const world = await aWorld(SCENARIO_OPERATOR)
  for (const legs of documents) await sendLegs(world, ...legs)

  expect(await abroad(world)).toEqual(PAID_BY_CALLER)
})

test('a leg whose dialling leg is not stored yet is suspended, and a retry bills it', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  await sendLegs(world, transferred)
  expect(await suspenseOf(world)).toMatchObject([
    {
      reason: 'unknown_account',
      detail: `the leg that dialled it, "${JSON.parse(caller).variables.uuid}", is not stored yet: retry when it is`,
    },
  ])

  await sendLegs(world, caller)
  const mediation = await openMediation(world.store, world.now)
  await retryBatches(mediation, { reasons: ['unknown_account'], after: '' }, () => true)
  expect(await abroad(world)).toEqual(PAID_BY_CALLER)
})

test('a leg over a carrier with an account code of its own needs no dialling leg', async () => {
  const world = await aWorld(SCENARIO_OPERATOR)
  const leg = JSON.parse(legsOf('trunk-transferred-by-caller').at(-1) ?? '')
  leg.variables.accountcode = 'globex'
  await sendLegs(world, JSON.stringify(leg))

  expect(await abroad(world)).toMatchObject([{ user_id: GLOBEX, device_id: undefined }])
})
