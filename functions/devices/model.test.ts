import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementTexts } from '#test/answers/printed.ts'
import { people } from '#test/examples/examples.ts'
import { routing } from '#test/examples/routing.ts'
import {
  type KnownIds,
  LOCATIONS,
  methodOf,
  NO_ID,
  paramsOf,
  type StepKind,
  type StepParams,
  stepOf,
  type TrafficStep,
} from '#test/fuzz/device-steps.ts'
import { fuzz } from '#test/fuzz/fuzz.ts'
import { damageIn } from '#test/soundness.ts'
import { aWorld, type World } from '#test/world.ts'
import { method as listRules } from '../device-rules/device_rules_get.ts'
import { method as listLocationRules } from '../location-rules/location_rules_get.ts'
import { method as deviceDetails } from './device_details_get.ts'

interface PlainDevice {
  readonly id: number
  readonly name: string
  readonly extension: string
}

interface PlainRule {
  readonly id: number
  readonly device: number
}

interface PlainLocationRule {
  readonly id: number
  readonly location: number
  readonly cut: string
  readonly lengths: readonly [number, number]
  readonly device: number | undefined
}

/** The objects of an office, by plain maps without any code of lib/store. One step follows the other. */
class Office {
  readonly devices = new Map<number, PlainDevice>()
  readonly rules = new Map<number, PlainRule>()
  readonly locationRules = new Map<number, PlainLocationRule>()

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

  rulesOf(device: number): PlainRule[] {
    return [...this.rules.values()].filter((rule) => rule.device === device)
  }

  /** Steps may name all of its objects. */
  get known(): KnownIds {
    const [devices, locationRules] = [[...this.devices.keys()], [...this.locationRules.keys()]]
    return {
      devices,
      deletableDevices: devices,
      deviceRules: [...this.rules.keys()],
      locationRules,
      deletableLocationRules: locationRules,
    }
  }
}

/** What a right answer to a step says and does. */
interface Expected {
  /** In the words of the API. */
  readonly refusal: string | undefined
  /** Carries the step out in the model. `id` is that of the new object. */
  readonly carryOut: (id: number) => void
  /** Returns the id of the new object. Two of the methods do not tell it. */
  readonly newId?: (answer: string, world: World) => Promise<number>
}

/** The expected outcome of each kind of step in a state of the office. */
const MODEL = {
  device_create: (office, { extension: wanted = '' }) => ({
    refusal: office.dials(String(wanted)) ? 'Extension is already used' : undefined,
    newId: async (answer) => Number(elementTexts(answer, 'id')[0]),
    carryOut: (id) => {
      const extension = String(wanted) || office.lowestFree()
      office.devices.set(id, { id, name: extension, extension })
    },
  }),
  device_update: (office, { device: id, extension, device_name }) => {
    const device = office.devices.get(Number(id))
    if (!device) return { refusal: notFound('Device', id), carryOut: () => {} }
    const wanted = {
      extension: String(extension ?? device.extension),
      name: String(device_name ?? device.name),
    }
    const isTaken = (word: string, own: string) => word !== own && office.dials(word, device)
    const taken = isTaken(wanted.extension, device.extension) ? 'Extension is already used' : undefined
    return {
      refusal: isTaken(wanted.name, device.name) ? 'Device name is already used' : taken,
      carryOut: () => office.devices.set(device.id, { ...device, ...wanted }),
    }
  },
  device_delete: (office, { device }) => {
    const id = Number(device)
    const isUsed = [...office.locationRules.values()].some((rule) => rule.device === id)
    return {
      refusal: isUsed ? 'One or more Location rules are using this Device' : notFound('Device', id),
      carryOut: () => {
        office.devices.delete(id)
        for (const rule of office.rulesOf(id)) office.rules.delete(rule.id)
      },
    }
  },
  device_rule_create: (office, { device_id }) => {
    const device = Number(device_id)
    return {
      refusal: notFound('Device', device),
      newId: async (_answer, world) => newAmong(await ruleIds(world, device), office.rules),
      carryOut: (id) => office.rules.set(id, { id, device }),
    }
  },
  device_rule_delete: (office, { device_rule_id: id }) => ({
    refusal: notFound('Devicerule', id),
    carryOut: () => office.rules.delete(Number(id)),
  }),
  location_rule_create: (office, { location_id, cut, minlen, maxlen, device_id }) => {
    const rule = {
      location: Number(location_id),
      cut: String(cut),
      lengths: [Number(minlen), Number(maxlen)] as const,
      device: device_id === undefined ? undefined : Number(device_id),
    }
    /** Rules of a location with the same digits must not overlap in their lengths. */
    const overlaps = [...office.locationRules.values()].some(
      ({ location, cut: digits, lengths: [from, to] }) =>
        location === rule.location && digits === cut && from <= rule.lengths[1] && rule.lengths[0] <= to,
    )
    return {
      refusal: overlaps ? 'Rule must be unique' : undefined,
      newId: async (answer) => Number(/rule_id: (\d+)/.exec(answer)?.[1]),
      carryOut: (id) => office.locationRules.set(id, { ...rule, id }),
    }
  },
  location_rule_copy: (office, { location_rule_id, location_id }) => {
    const copied = office.locationRules.get(Number(location_rule_id))
    const location = Number(location_id)
    return {
      refusal: notFound('Location rule', location_rule_id),
      newId: async (_answer, world) => newAmong(await locationRuleIds(world, location), office.locationRules),
      carryOut: (id) => copied && office.locationRules.set(id, { ...copied, id, location }),
    }
  },
  location_rule_delete: (office, { location_rule_id: id }) => ({
    refusal: notFound('Location rule', id),
    carryOut: () => office.locationRules.delete(Number(id)),
  }),
} as const satisfies Partial<Record<StepKind, (office: Office, params: StepParams) => Expected>>

/** The refusal of an unknown id; none for one of the office. */
const notFound = (what: string, id: unknown): string | undefined =>
  id === NO_ID ? `${what} was not found` : undefined

type ModelledKind = keyof typeof MODEL

const step = stepOf([
  ...Array<ModelledKind>(5).fill('device_create'),
  ...(Object.keys(MODEL) as ModelledKind[]),
  ...(['device_update', 'device_update', 'device_delete', 'location_rule_copy'] as const),
  ...(['device_rule_create', 'device_rule_create', 'location_rule_create', 'location_rule_create'] as const),
])

/** Steps that follow one another. */
const sequences = fc.array(step, { minLength: 5, maxLength: 25 })

/** Steps that come at once, after others. */
const rushes = fc.record({
  before: fc.array(step, { maxLength: 6 }),
  atOnce: fc.array(step, { minLength: 2, maxLength: 5 }),
})

const anOffice = () => aWorld({ users: people, locations: routing.locations })

const refusalIn = (answer: string): string | undefined => /<error>([^<]*)<\/error>/.exec(answer)?.[1]

const newAmong = (ids: readonly number[], known: ReadonlyMap<number, unknown>): number =>
  ids.find((id) => !known.has(id)) ?? NO_ID

const ruleIds = async (world: World, device: number): Promise<number[]> =>
  elementTexts(await world.call(listRules, 'admin', { device_id: device }), 'id').map(Number)

const locationRuleIds = async (world: World, where: number): Promise<number[]> =>
  elementTexts(await world.call(listLocationRules, 'admin', { location_id: where }), 'id').map(Number)

/** Words that two devices or rules are often given both. */
const WORDS = ['1001', '1002', '1003']

const sentIn = (office: Office, one: TrafficStep, n: number) => paramsOf(one, n, office.known, WORDS)

async function follow(world: World, office: Office, steps: readonly TrafficStep[]): Promise<void> {
  for (const [n, one] of steps.entries()) {
    const params = sentIn(office, one, n)
    const { refusal, newId, carryOut }: Expected = MODEL[one.kind as ModelledKind](office, params)
    const answer = await world.call(methodOf(one.kind), 'admin', params)
    expect(refusalIn(answer), `${one.kind} ${JSON.stringify(params)}: ${answer}`).toBe(refusal)
    if (refusal === undefined) carryOut((await newId?.(answer, world)) ?? NO_ID)
  }
}

async function expectSame(world: World, office: Office): Promise<void> {
  for (const { id, name, extension } of office.devices.values()) {
    const details = await world.call(deviceDetails, 'admin', { device_id: id })
    expect([elementTexts(details, 'name')[0], elementTexts(details, 'extension')[0]]).toEqual([
      name,
      extension,
    ])
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
    await follow(world, office, steps)
    await expectSame(world, office)
  })
})

test('calls that come at once leave a sound table, and each answer is true', async () => {
  await fuzz('devices at once', { inTest: 10, inSweep: 60 }, rushes, async ({ before, atOnce }) => {
    const [world, office] = [await anOffice(), new Office()]
    await follow(world, office, before)

    const answers = await Promise.all(
      atOnce.map((one, n) => world.call(methodOf(one.kind), 'admin', sentIn(office, one, n))),
    )

    expect(await damageIn(world)).toEqual([])
    const created = answers.flatMap((answer) =>
      answer.includes('device_created') ? elementTexts(answer, 'id') : [],
    )
    expect(new Set(created).size).toBe(created.length)
    expect(answers.filter((answer) => /Internal error|Try again/.test(answer))).toEqual([])
  })
})
