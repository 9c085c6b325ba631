import { expect, test } from 'vitest'
import { callsIn } from '#test/dump.ts'
import { reasonsOf, send } from '#test/mediation/csv-switch.ts'
import { SCENARIO_OPERATOR } from '#test/mediation/scenario-operator.ts'
import { aWorld } from '#test/world.ts'
import { scenariosOf } from '#tools/contracts/scenarios.ts'

type Texts = Readonly<Record<string, string>>

/** A scenario's A-leg with other channel variables, and another profile in its newest callflow. */
function legOf(scenario: string, variables: Texts, profile: object = {}) {
  const found = scenariosOf('freeswitch').find(({ name }) => name === scenario)
  const text = found?.documents.find(({ file }) => file === 'a.ndjson')?.text ?? ''
  const leg = JSON.parse(text)
  Object.assign(leg.variables, variables)
  Object.assign(leg.callflow[0].caller_profile, profile)
  return { format: 'freeswitch-json' as const, text: JSON.stringify(leg) }
}

/** The called side ends an answered call with `Reason: Q.850;cause=...` in its BYE. */
const endedWith = (cause: string): Texts => ({
  bridge_hangup_cause: cause,
  last_bridge_proto_specific_hangup_cause: 'sip:200',
})

/** A caller may try these, so that a minute to a foreign number costs less than its price (docs/reports.md). */
test.each([
  ['busy as the cause of a BYE, behind an IVR', legOf('ivr-to-trunk', endedWith('USER_BUSY'))],
  ['no answer as the cause of a BYE, behind an IVR', legOf('ivr-to-trunk', endedWith('NO_ANSWER'))],
  [
    'a cancellation as the cause of a BYE, behind an IVR',
    legOf('ivr-to-trunk', endedWith('ORIGINATOR_CANCEL')),
  ],
  ['busy as the cause of a BYE, behind a forward', legOf('forward-by-switch', endedWith('USER_BUSY'))],
  [
    'busy as the cause of its own BYE',
    legOf('outbound', { hangup_cause: 'USER_BUSY', hangup_cause_q850: '17' }),
  ],
  ['a cause that does not exist', legOf('outbound', { hangup_cause: 'X', hangup_cause_q850: '999' })],
  ['a header that is named like a B-leg', legOf('outbound', { 'sip_h_X-originator': 'b7dde7cb-95f5-5535' })],
  [
    'a header with an account code',
    legOf('outbound', { 'sip_h_X-accountcode': 'globex', sip_rh_accountcode: 'globex' }),
  ],
  [
    'another name in From',
    legOf('outbound', {
      sip_from_user: '1003',
      sip_from_uri: '1003%40x',
      effective_caller_id_number: '1003',
    }),
  ],
  [
    'another caller id',
    legOf('outbound', { 'sip_P-Asserted-Identity': '1003' }, { caller_id_number: '1003', ani: '1003' }),
  ],
  [
    'an early end of its offers',
    legOf('outbound', { originate_disposition: 'NO_ANSWER', endpoint_disposition: 'EARLY%20MEDIA' }),
  ],
  ['a sign after the number', legOf('outbound', {}, { destination_number: '442079460000#' })],
  ['separators in the number', legOf('outbound', {}, { destination_number: '+44 (20) 7946-0000' })],
  ['an extension in front of the carrier', legOf('outbound', {}, { destination_number: '1002' })],
  ['a code in front of the carrier', legOf('outbound', {}, { destination_number: '*72' })],
  [
    'a second target that is an extension',
    legOf('outbound', { last_arg: 'user%2F1002%2Csofia%2Fgateway%2Fpotomac%2F442079460000' }),
  ],
])('a caller does not make a leg free with %s', async (_trick, document) => {
  const world = await aWorld(SCENARIO_OPERATOR)
  await send(world, document)

  expect(callsIn(await world.dump())).toMatchObject([
    { dst: expect.stringMatching(/^\+?44/), billsec: 60, user_price: '0.6' },
  ])
  expect(await reasonsOf(world)).toEqual([])
})
