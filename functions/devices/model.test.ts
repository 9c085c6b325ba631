import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { people } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
import { DeviceModel, NO_ID, type Step } from '#test/fuzz/device-model.ts'
import { fuzz } from '#test/fuzz/fuzz.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as createRule } from '../device-rules/device_rule_create.ts'
import { method as deleteRule } from '../device-rules/device_rule_delete.ts'
import { method as listRules } from '../device-rules/device_rules_get.ts'
import { method as copyLocationRule } from '../location-rules/location_rule_copy.ts'
import { method as createLocationRule } from '../location-rules/location_rule_create.ts'
import { method as deleteLocationRule } from '../location-rules/location_rule_delete.ts'
import { method as listLocationRules } from '../location-rules/location_rules_get.ts'
import { method as createDevice } from './device_create.ts'
import { method as deleteDevice } from './device_delete.ts'
import { method as deviceDetails } from './device_details_get.ts'
import { method as updateDevice } from './device_update.ts'

const pick = fc.nat(5)
const location = fc.constantFrom(1, 5)
const dialled = fc.constantFrom('1001', '1002', '1003', '1004')
const lengths = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 12, max: 20 }))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('create device' as const),
      user: fc.constantFrom(10, 11),
      extension: fc.oneof(dialled, fc.constant('')),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        does: fc.constant('update device' as const),
        pick,
        extension: dialled,
        name: fc.oneof(dialled, fc.constantFrom('desk', 'phone')),
      },
      { requiredKeys: ['does', 'pick'] },
    ),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('delete device' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('create rule' as const),
      pick,
      name: fc.constantFrom('a', 'b'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete rule' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('create location rule' as const),
      location,
      cut: fc.constantFrom('0', '00'),
      lengths,
      pick: fc.integer({ min: -1, max: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('copy location rule' as const), pick, location }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete location rule' as const), pick }) },
)

/** Calls that follow one another. */
const sequences = fc.array(step, { minLength: 5, maxLength: 25 })

/** Calls that come at once, after others. */
const rushes = fc.record({
  before: fc.array(step, { maxLength: 6 }),
  atOnce: fc.array(step, { minLength: 2, maxLength: 5 }),
})

const LOCATIONS = [1, 5]

const anOffice = () => aWorld({ users: people, locations: routing.locations })

/** The call of a step in the state of the model. */
function callOf(model: DeviceModel, step: Step): [Method, Readonly<Record<string, string | number>>] {
  switch (step.does) {
    case 'create device':
      return [createDevice, { user_id: step.user, extension: step.extension }]
    case 'update device': {
      const { extension, name } = step
      const changes = { ...(extension && { extension }), ...(name && { username: name }) }
      return [updateDevice, { device: deviceAt(model, step.pick), ...changes }]
    }
    case 'delete device':
      return [deleteDevice, { device: deviceAt(model, step.pick) }]
    case 'create rule':
      return [createRule, { device_id: deviceAt(model, step.pick), name: step.name, cut: '0' }]
    case 'delete rule':
      return [deleteRule, { device_rule_id: model.pickRule(step.pick) }]
    case 'create location rule': {
      const {
        location,
        cut,
        lengths: [minlen, maxlen],
        pick,
      } = step
      const target = pick < 0 ? undefined : model.pickDevice(pick)?.id
      return [
        createLocationRule,
        { location_id: location, name: 'x', cut, minlen, maxlen, ...(target && { device_id: target }) },
      ]
    }
    case 'copy location rule':
      return [
        copyLocationRule,
        { location_rule_id: model.pickLocationRule(step.pick), location_id: step.location },
      ]
    default:
      return [deleteLocationRule, { location_rule_id: model.pickLocationRule(step.pick) }]
  }
}

const deviceAt = (model: DeviceModel, pick: number): string => model.pickDevice(pick)?.id ?? NO_ID

const refusalIn = (answer: string): string | undefined => /<error>([^<]*)<\/error>/.exec(answer)?.[1]

const valuesOf = (answer: string, name: string): string[] =>
  [...answer.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value = '']) => value)

/** The id of what a step has created: two of the methods do not tell it. */
async function newId(world: World, model: DeviceModel, step: Step, answer: string): Promise<string> {
  const known = (ids: string[], of: ReadonlyMap<string, unknown>) => ids.find((id) => !of.has(id)) ?? ''
  if (step.does === 'create device') return valuesOf(answer, 'id')[0] ?? ''
  if (step.does === 'create rule') return known(await ruleIds(world, deviceAt(model, step.pick)), model.rules)
  if (step.does === 'create location rule') return /rule_id: (\d+)/.exec(answer)?.[1] ?? ''
  if (step.does === 'copy location rule')
    return known(await locationRuleIds(world, step.location), model.locationRules)
  return ''
}

const ruleIds = async (world: World, device: string): Promise<string[]> =>
  valuesOf(await world.call(listRules, 'admin', { device_id: device }), 'id')

const locationRuleIds = async (world: World, location: number): Promise<string[]> =>
  valuesOf(await world.call(listLocationRules, 'admin', { location_id: location }), 'id')

async function follow(world: World, model: DeviceModel, step: Step): Promise<void> {
  const [method, params] = callOf(model, step)
  const expected = model.refusalOf(step)
  const answer = await world.call(method, 'admin', params)
  expect(refusalIn(answer), `${JSON.stringify(step)}: ${answer}`).toBe(expected)
  if (expected === undefined) model.carryOut(step, await newId(world, model, step, answer))
}

async function expectSame(world: World, model: DeviceModel): Promise<void> {
  for (const { id, name, extension } of model.devices.values()) {
    const details = await world.call(deviceDetails, 'admin', { device_id: id })
    expect([valuesOf(details, 'name')[0], valuesOf(details, 'extension')[0]]).toEqual([name, extension])
    const rules = model.rulesOf(id).map((rule) => rule.id)
    expect((await ruleIds(world, id)).sort()).toEqual(rules.sort())
  }
  for (const location of LOCATIONS) {
    const rules = [...model.locationRules.values()].filter((rule) => rule.location === location)
    expect((await locationRuleIds(world, location)).sort()).toEqual(rules.map(({ id }) => id).sort())
  }
  expect(await damageIn(world)).toEqual([])
}

test('calls that follow one another give the answers and the state of a plain model', async () => {
  await fuzz('devices', { inTest: 10, inSweep: 100 }, sequences, async (steps) => {
    const [world, model] = [await anOffice(), new DeviceModel()]
    for (const step of steps) await follow(world, model, step)
    await expectSame(world, model)
  })
})

test('calls that come at once leave a sound table, and each answer is true', async () => {
  await fuzz('devices at once', { inTest: 10, inSweep: 60 }, rushes, async ({ before, atOnce }) => {
    const [world, model] = [await anOffice(), new DeviceModel()]
    for (const step of before) await follow(world, model, step)

    const answers = await Promise.all(
      atOnce.map((step) => {
        const [method, params] = callOf(model, step)
        return world.call(method, 'admin', params)
      }),
    )

    expect(await damageIn(world)).toEqual([])
    const created = answers.flatMap((answer) =>
      answer.includes('device_created') ? valuesOf(answer, 'id') : [],
    )
    expect(new Set(created).size).toBe(created.length)
    expect(answers.filter((answer) => /Internal error|Try again/.test(answer))).toEqual([])
  })
})
