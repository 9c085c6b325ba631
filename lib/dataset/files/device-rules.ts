import type { ImportWorld } from '#lib/dataset/format/import-world.ts'
import { referenceProblems } from '#lib/dataset/format/references.ts'
import { byId, itself, replacing, rowByRow } from '#lib/dataset/format/row-by-row.ts'
import type { RowFormat } from '#lib/dataset/format/row-format.ts'
import { missingReference } from '#lib/domain/row-refused.ts'
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
    const rows = entries.map(({ row }) => row)
    const problems = await referenceProblems(world, rows, { device_id: 'device' })
    return rows.map((row, position) => ruleProblem(row) ?? problems[position])
  },
  ...rowByRow<DeviceRule, ImportedRule | undefined>({
    lane: ({ device_id }) => device_id,
    find: byId(findDeviceRules),
    columnsIn: itself,
    write: replacing(({ store }, rule, before) => replaceDeviceRule(store, before, rule)),
    obstacle,
  }),
}

function ruleProblem({ name, cut, add, minlen, maxlen }: DeviceRule): string | undefined {
  if (name.trim() === '') return 'name must not be blank'
  if (cut === '' && add === '') return 'cut and add must not both be blank'
  return minlen < 0 || minlen > maxlen ? 'minlen and maxlen are not a range' : undefined
}

async function obstacle(row: DeviceRule, { store }: ImportWorld): Promise<string | undefined> {
  const device = await findDevice(store, row.device_id)
  if (!device) return missingReference('device_id', 'device', row.device_id)
  const isFull = device.rule_count >= MOST_RULES_OF_A_DEVICE
  return isFull ? `device ${device.id} has ${MOST_RULES_OF_A_DEVICE} rules already` : undefined
}
