import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findDevice } from '#lib/store/devices/device.ts'
import {
  type DeviceRule,
  deviceRules as entity,
  MOST_RULES_OF_A_DEVICE,
  replaceDeviceRule,
} from '#lib/store/devices/device-rule.ts'

export const deviceRules: RowFormat<DeviceRule> = entityRows(entity, {
  counted: 'device_rule',
  problem: ruleProblem,
  lane: ({ device_id }) => device_id,
  replace: (rule, before, { store }) => replaceDeviceRule(store, before, rule),
  obstacle: fullDevice,
})

function ruleProblem({ name, cut, add, minlen, maxlen }: DeviceRule): string | undefined {
  if (name.trim() === '') return 'name must not be blank'
  if (cut === '' && add === '') return 'cut and add must not both be blank'
  return minlen < 0 || minlen > maxlen ? 'minlen and maxlen are not a range' : undefined
}

async function fullDevice({ device_id }: DeviceRule, { store }: ImportWorld): Promise<string | undefined> {
  const device = await findDevice(store, device_id)
  return (device?.rule_count ?? 0) >= MOST_RULES_OF_A_DEVICE
    ? `device ${device_id} has ${MOST_RULES_OF_A_DEVICE} rules already`
    : undefined
}
