/**
 * One call of a method of devices, device rules or location rules. A number that picks an object is its position among those
 * that exist, and wraps around: a drawn call means something in every state.
 */
export type Step =
  | { readonly does: 'create device'; readonly user: number; readonly extension: string }
  | {
      readonly does: 'update device'
      readonly pick: number
      readonly extension?: string
      readonly name?: string
    }
  | { readonly does: 'delete device'; readonly pick: number }
  | { readonly does: 'create rule'; readonly pick: number; readonly name: string }
  | { readonly does: 'delete rule'; readonly pick: number }
  | {
      readonly does: 'create location rule'
      readonly location: number
      readonly cut: string
      readonly lengths: readonly [number, number]
      /** The position of the target device; -1 for none. */
      readonly pick: number
    }
  | { readonly does: 'copy location rule'; readonly pick: number; readonly location: number }
  | { readonly does: 'delete location rule'; readonly pick: number }

type StepOf<D extends Step['does']> = Extract<Step, { readonly does: D }>

interface PlainDevice {
  readonly id: string
  readonly user: number
  readonly name: string
  readonly extension: string
}

interface PlainRule {
  readonly id: string
  readonly device: string
  readonly name: string
}

interface PlainLocationRule {
  readonly id: string
  readonly location: number
  readonly cut: string
  readonly lengths: readonly [number, number]
  readonly device: string
}

/** Unknown to every installation, for a step that picks among nothing. */
export const NO_ID = '999999'

/** The right answers and states, by plain maps without any code of lib/store. One call follows the other. */
export class DeviceModel {
  readonly devices = new Map<string, PlainDevice>()
  readonly rules = new Map<string, PlainRule>()
  readonly locationRules = new Map<string, PlainLocationRule>()

  /** The refusal of a step, by the words of the API. */
  refusalOf(step: Step): string | undefined {
    switch (step.does) {
      case 'create device':
        return this.#extensionRefusal(step.extension, undefined)
      case 'update device':
        return this.#updateRefusal(step)
      case 'delete device':
        return this.#deleteRefusal(this.pickDevice(step.pick))
      case 'create rule':
        return this.#known(this.pickDevice(step.pick), 'Device was not found')
      case 'delete rule':
        return this.#known(pickOf(this.rules, step.pick), 'Devicerule was not found')
      case 'create location rule':
        return this.#overlap(step) ? 'Rule must be unique' : undefined
      default:
        return this.#known(pickOf(this.locationRules, step.pick), 'Location rule was not found')
    }
  }

  /** Carries out a step that is not refused. `id` is that of the new object. */
  carryOut(step: Step, id: string): unknown {
    switch (step.does) {
      case 'create device':
        return this.#createDevice(step, id)
      case 'update device':
        return this.#updateDevice(step)
      case 'delete device':
        return this.#deleteDevice(this.#device(step.pick).id)
      case 'create rule':
        return this.rules.set(id, { id, device: this.#device(step.pick).id, name: step.name })
      case 'delete rule':
        return this.rules.delete(this.pickRule(step.pick))
      case 'create location rule':
        return this.#createLocationRule(step, id)
      case 'copy location rule':
        return this.#copyLocationRule(step, id)
      default:
        return this.locationRules.delete(this.pickLocationRule(step.pick))
    }
  }

  #createDevice({ user, extension: wanted }: StepOf<'create device'>, id: string): void {
    const extension = wanted || this.lowestFree()
    this.devices.set(id, { id, user, name: extension, extension })
  }

  #updateDevice({ pick, ...changes }: StepOf<'update device'>): void {
    const device = this.#device(pick)
    const { name = device.name, extension = device.extension } = changes
    this.devices.set(device.id, { ...device, name, extension })
  }

  #deleteDevice(id: string): void {
    this.devices.delete(id)
    for (const rule of this.rulesOf(id)) this.rules.delete(rule.id)
  }

  #createLocationRule({ location, cut, lengths, pick }: StepOf<'create location rule'>, id: string): void {
    const device = pick < 0 ? '' : (this.pickDevice(pick)?.id ?? '')
    this.locationRules.set(id, { id, location, cut, lengths, device })
  }

  #copyLocationRule({ pick, location }: StepOf<'copy location rule'>, id: string): void {
    const copied = this.locationRules.get(this.pickLocationRule(pick))
    if (copied) this.locationRules.set(id, { ...copied, id, location })
  }

  pickDevice(pick: number): PlainDevice | undefined {
    return pickOf(this.devices, pick)
  }

  pickRule(pick: number): string {
    return pickOf(this.rules, pick)?.id ?? NO_ID
  }

  pickLocationRule(pick: number): string {
    return pickOf(this.locationRules, pick)?.id ?? NO_ID
  }

  rulesOf(device: string): PlainRule[] {
    return [...this.rules.values()].filter((rule) => rule.device === device)
  }

  /** The lowest number from 1001 that no device has as its extension or name. */
  lowestFree(): string {
    let number = 1001
    while (this.#dials(String(number), undefined)) number += 1
    return String(number)
  }

  #device(pick: number): PlainDevice {
    const device = this.pickDevice(pick)
    if (!device) throw new Error('A step that picks no device is refused')
    return device
  }

  #known(found: unknown, refusal: string): string | undefined {
    return found === undefined ? refusal : undefined
  }

  #dials(word: string, but: string | undefined): boolean {
    return [...this.devices.values()].some(
      ({ id, name, extension }) => id !== but && (name === word || extension === word),
    )
  }

  #extensionRefusal(extension: string, but: string | undefined): string | undefined {
    return this.#dials(extension, but) ? 'Extension is already used' : undefined
  }

  #updateRefusal({ pick, name, extension }: StepOf<'update device'>): string | undefined {
    const device = this.pickDevice(pick)
    if (!device) return 'Device was not found'
    if (name !== undefined && name !== device.name && this.#dials(name, device.id))
      return 'Device name is already used'
    if (extension === undefined || extension === device.extension) return undefined
    return this.#extensionRefusal(extension, device.id)
  }

  #deleteRefusal(device: PlainDevice | undefined): string | undefined {
    if (!device) return 'Device was not found'
    const isUsed = [...this.locationRules.values()].some((rule) => rule.device === device.id)
    return isUsed ? 'One or more Location rules are using this Device' : undefined
  }

  /** Rules of a location with the same digits must not overlap in their lengths. */
  #overlap({ location, cut, lengths: [from, to] }: StepOf<'create location rule'>): boolean {
    return [...this.locationRules.values()].some(
      (rule) =>
        rule.location === location && rule.cut === cut && rule.lengths[0] <= to && from <= rule.lengths[1],
    )
  }
}

/** The object at a position, in the order of creation; `undefined` if there is none. */
const pickOf = <T>(objects: ReadonlyMap<string, T>, pick: number): T | undefined =>
  [...objects.values()][pick % Math.max(objects.size, 1)]
