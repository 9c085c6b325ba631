import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { devicesById } from '#lib/dataset/format/references.ts'
import { rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { findDevice } from '#lib/store/devices/device.ts'
import {
  type DeviceRule,
  deviceRuleColumns,
  findDeviceRules,
  type ImportedRule,
  MOST_RULES_OF_A_DEVICE,
  replaceDeviceRule,
} from '#lib/store/devices/device-rule.ts'

export const deviceRules: RowFormat<DeviceRule> = {
  columns: deviceRuleColumns,
  counted: 'device_rule',
  claims: ({ id }) => [`id ${id}`],
  check: async (entries, world) => {
    const devices = await devicesById(
      world,
      entries.map(({ row }) => row.device_id),
    )
    return entries.map(
      ({ row }) => ruleProblem(row) ?? (devices.has(row.device_id) ? undefined : noDevice(row)),
    )
  },
  write: rowByRow<DeviceRule, ImportedRule | undefined>({
    lane: ({ device_id }) => device_id,
    find: (rows, { store }) =>
      findDeviceRules(
        store,
        rows.map(({ id }) => id),
      ),
    write: async ({ row, digest }, before, { store }) => {
      if (before?.digest === digest) return 'unchanged'
      await replaceDeviceRule(store, before, { ...row, digest })
      return 'written'
    },
    obstacle,
  }),
}

function ruleProblem({ name, cut, add, minlen, maxlen }: DeviceRule): string | undefined {
  if (name.trim() === '') return 'name must not be blank'
  if (cut === '' && add === '') return 'cut and add must not both be blank'
  return minlen < 0 || minlen > maxlen ? 'minlen and maxlen are no range' : undefined
}

const noDevice = ({ device_id }: DeviceRule): string => `device_id: there is no device ${device_id}`

async function obstacle(row: DeviceRule, { store }: ImportWorld): Promise<string | undefined> {
  const device = await findDevice(store, row.device_id)
  if (!device) return noDevice(row)
  const isFull = device.rule_count >= MOST_RULES_OF_A_DEVICE
  return isFull ? `device ${device.id} has ${MOST_RULES_OF_A_DEVICE} rules already` : undefined
}
