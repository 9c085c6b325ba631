import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Method } from '#lib/api/method.ts'
import { people } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
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

interface PlainDevice {
  readonly id: string
  readonly user: number
  readonly name: string
  readonly extension: string
}

interface PlainRule {
  readonly id: string
  readonly device: string
}

interface PlainLocationRule {
  readonly id: string
  readonly location: number
  readonly cut: string
  readonly lengths: readonly [number, number]
  readonly device: string
}

/** The objects of an office, by plain maps without any code of lib/store. One call follows the other. */
class Office {
  readonly devices = new Map<string, PlainDevice>()
  readonly rules = new Map<string, PlainRule>()
  readonly locationRules = new Map<string, PlainLocationRule>()

  /** Whether a device other than `except` is dialled by this word. */
  dials(word: string, except?: PlainDevice): boolean {
    return [...this.devices.values()].some(
      (device) => device !== except && (device.name === word || device.extension === word),
    )
  }

  /** The lowest number from 1001 that no device has as its extension or name. */
  lowestFree(): string {
    let number = 1001
    while (this.dials(String(number))) number += 1
    return String(number)
  }

  rulesOf(device: string): PlainRule[] {
    return [...this.rules.values()].filter((rule) => rule.device === device)
  }
}

/** A call in one state of the office, and what a right answer says and does. */
interface ModelledCall {
  readonly method: Method
  readonly params: Readonly<Record<string, string | number>>
  /** In the words of the API. */
  readonly refusal: string | undefined
  /** Carries the call out in the model. `id` is that of the new object. */
  readonly carryOut: (office: Office, id: string) => void
  /** Returns the id of the new object. Two of the methods do not tell it. */
  readonly newId?: (answer: string, world: World) => Promise<string>
}

/** A drawn call. As JSON it is what was drawn. */
interface Step {
  readonly callIn: (office: Office) => ModelledCall
}

const drawn = <F>(
  does: string,
  fields: fc.Arbitrary<F>,
  callOf: (fields: F, office: Office) => ModelledCall,
): fc.Arbitrary<Step> =>
  fields.map((drawnFields) => ({ does, ...drawnFields, callIn: (office) => callOf(drawnFields, office) }))

/** Unknown to every installation, for a step that picks among nothing. */
const NO_ID = '999999'

/** The object at a position, in the order of creation. A drawn position wraps around: it means something in every state. */
const pickOf = <T>(objects: ReadonlyMap<string, T>, pick: number): T | undefined =>
  [...objects.values()][pick % Math.max(objects.size, 1)]

const pick = fc.nat(5)
const location = fc.constantFrom(1, 5)
const dialled = fc.constantFrom('1001', '1002', '1003', '1004')
const lengths = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 12, max: 20 }))

const createdDevice = drawn(
  'create device',
  fc.record({ user: fc.constantFrom(10, 11), extension: fc.oneof(dialled, fc.constant('')) }),
  ({ user, extension: wanted }, before) => ({
    method: createDevice,
    params: { user_id: user, extension: wanted },
    refusal: before.dials(wanted) ? 'Extension is already used' : undefined,
    newId: async (answer) => valuesOf(answer, 'id')[0] ?? '',
    carryOut: (office, id) => {
      const extension = wanted || office.lowestFree()
      office.devices.set(id, { id, user, name: extension, extension })
    },
  }),
)

const updatedDevice = drawn(
  'update device',
  fc.record(
    { pick, extension: dialled, name: fc.oneof(dialled, fc.constantFrom('desk', 'phone')) },
    { requiredKeys: ['pick'] },
  ),
  ({ pick: picked, extension, name }, before) => {
    const device = pickOf(before.devices, picked)
    const refusal = () => {
      if (!device) return 'Device was not found'
      const isTaken = (word: string | undefined, own: string) =>
        word !== undefined && word !== own && before.dials(word, device)
      if (isTaken(name, device.name)) return 'Device name is already used'
      return isTaken(extension, device.extension) ? 'Extension is already used' : undefined
    }
    return {
      method: updateDevice,
      params: {
        device: device?.id ?? NO_ID,
        ...(extension && { extension }),
        ...(name && { username: name }),
      },
      refusal: refusal(),
      carryOut: (office) => {
        if (device)
          office.devices.set(device.id, { ...device, ...(extension && { extension }), ...(name && { name }) })
      },
    }
  },
)

const deletedDevice = drawn('delete device', fc.record({ pick }), ({ pick: picked }, before) => {
  const { id } = pickOf(before.devices, picked) ?? { id: NO_ID }
  const isUsed = [...before.locationRules.values()].some((rule) => rule.device === id)
  const used = isUsed ? 'One or more Location rules are using this Device' : undefined
  return {
    method: deleteDevice,
    params: { device: id },
    refusal: id === NO_ID ? 'Device was not found' : used,
    carryOut: (office) => {
      office.devices.delete(id)
      for (const rule of office.rulesOf(id)) office.rules.delete(rule.id)
    },
  }
})

const createdRule = drawn(
  'create rule',
  fc.record({ pick, name: fc.constantFrom('a', 'b') }),
  ({ pick: picked, name }, before) => {
    const { id: device } = pickOf(before.devices, picked) ?? { id: NO_ID }
    return {
      method: createRule,
      params: { device_id: device, name, cut: '0' },
      refusal: device === NO_ID ? 'Device was not found' : undefined,
      newId: async (_answer, world) => newAmong(await ruleIds(world, device), before.rules),
      carryOut: (office, id) => office.rules.set(id, { id, device }),
    }
  },
)

const deletedRule = drawn('delete rule', fc.record({ pick }), ({ pick: picked }, before) => {
  const { id } = pickOf(before.rules, picked) ?? { id: NO_ID }
  return {
    method: deleteRule,
    params: { device_rule_id: id },
    refusal: id === NO_ID ? 'Devicerule was not found' : undefined,
    carryOut: (office) => office.rules.delete(id),
  }
})

const createdLocationRule = drawn(
  'create location rule',
  fc.record({
    location,
    cut: fc.constantFrom('0', '00'),
    lengths,
    /** The position of the target device; -1 for none. */
    pick: fc.integer({ min: -1, max: 5 }),
  }),
  ({ pick: picked, ...rule }, before) => {
    const device = picked < 0 ? '' : (pickOf(before.devices, picked)?.id ?? '')
    const [minlen, maxlen] = rule.lengths
    /** Rules of a location with the same digits must not overlap in their lengths. */
    const overlaps = [...before.locationRules.values()].some(
      ({ location: where, cut, lengths: [from, to] }) =>
        where === rule.location && cut === rule.cut && from <= maxlen && minlen <= to,
    )
    return {
      method: createLocationRule,
      params: {
        ...{ location_id: rule.location, name: 'x', cut: rule.cut, minlen, maxlen },
        ...(device && { device_id: device }),
      },
      refusal: overlaps ? 'Rule must be unique' : undefined,
      newId: async (answer) => /rule_id: (\d+)/.exec(answer)?.[1] ?? '',
      carryOut: (office, id) => office.locationRules.set(id, { ...rule, id, device }),
    }
  },
)

const copiedLocationRule = drawn(
  'copy location rule',
  fc.record({ pick, location }),
  ({ pick: picked, location: to }, before) => {
    const copied = pickOf(before.locationRules, picked)
    return {
      method: copyLocationRule,
      params: { location_rule_id: copied?.id ?? NO_ID, location_id: to },
      refusal: copied ? undefined : 'Location rule was not found',
      newId: async (_answer, world) => newAmong(await locationRuleIds(world, to), before.locationRules),
      carryOut: (office, id) => copied && office.locationRules.set(id, { ...copied, id, location: to }),
    }
  },
)

const deletedLocationRule = drawn('delete location rule', fc.record({ pick }), ({ pick: picked }, before) => {
  const { id } = pickOf(before.locationRules, picked) ?? { id: NO_ID }
  return {
    method: deleteLocationRule,
    params: { location_rule_id: id },
    refusal: id === NO_ID ? 'Location rule was not found' : undefined,
    carryOut: (office) => office.locationRules.delete(id),
  }
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: createdDevice },
  { weight: 3, arbitrary: updatedDevice },
  { weight: 2, arbitrary: deletedDevice },
  { weight: 3, arbitrary: createdRule },
  { weight: 1, arbitrary: deletedRule },
  { weight: 3, arbitrary: createdLocationRule },
  { weight: 2, arbitrary: copiedLocationRule },
  { weight: 1, arbitrary: deletedLocationRule },
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

const refusalIn = (answer: string): string | undefined => /<error>([^<]*)<\/error>/.exec(answer)?.[1]

const valuesOf = (answer: string, name: string): string[] =>
  [...answer.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value = '']) => value)

const newAmong = (ids: readonly string[], known: ReadonlyMap<string, unknown>): string =>
  ids.find((id) => !known.has(id)) ?? ''

const ruleIds = async (world: World, device: string): Promise<string[]> =>
  valuesOf(await world.call(listRules, 'admin', { device_id: device }), 'id')

const locationRuleIds = async (world: World, where: number): Promise<string[]> =>
  valuesOf(await world.call(listLocationRules, 'admin', { location_id: where }), 'id')

async function follow(world: World, office: Office, one: Step): Promise<void> {
  const { method, params, refusal, newId, carryOut } = one.callIn(office)
  const answer = await world.call(method, 'admin', params)
  expect(refusalIn(answer), `${JSON.stringify(one)}: ${answer}`).toBe(refusal)
  if (refusal === undefined) carryOut(office, (await newId?.(answer, world)) ?? '')
}

async function expectSame(world: World, office: Office): Promise<void> {
  for (const { id, name, extension } of office.devices.values()) {
    const details = await world.call(deviceDetails, 'admin', { device_id: id })
    expect([valuesOf(details, 'name')[0], valuesOf(details, 'extension')[0]]).toEqual([name, extension])
    const rules = office.rulesOf(id).map((rule) => rule.id)
    expect((await ruleIds(world, id)).sort()).toEqual(rules.sort())
  }
  for (const where of LOCATIONS) {
    const rules = [...office.locationRules.values()].filter((rule) => rule.location === where)
    expect((await locationRuleIds(world, where)).sort()).toEqual(rules.map(({ id }) => id).sort())
  }
  expect(await damageIn(world)).toEqual([])
}

test('calls that follow one another give the answers and the state of a plain model', async () => {
  await fuzz('devices', { inTest: 10, inSweep: 100 }, sequences, async (steps) => {
    const [world, office] = [await anOffice(), new Office()]
    for (const one of steps) await follow(world, office, one)
    await expectSame(world, office)
  })
})

test('calls that come at once leave a sound table, and each answer is true', async () => {
  await fuzz('devices at once', { inTest: 10, inSweep: 60 }, rushes, async ({ before, atOnce }) => {
    const [world, office] = [await anOffice(), new Office()]
    for (const one of before) await follow(world, office, one)

    const answers = await Promise.all(
      atOnce.map((one) => {
        const { method, params } = one.callIn(office)
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
