import type { Random } from '#lib/domain/devices/device.ts'
import type { TableServices } from '#lib/store/store.ts'
import type { Delivery } from './response.ts'

/** Every side effect of a method. Tests bring their own clock, chance and log, and a table of their own. */
export interface Services extends TableServices {
  readonly random: Random
  /** How answers leave this process. */
  readonly delivery: Delivery
}
