import { defineMethod } from '#lib/api/method.ts'
import { answerPlainBalance, PLAIN_BALANCE } from '#lib/api/plain-balance.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { findDevice, findIdsOfDevices } from '#lib/devices/device-stored.ts'
import type { Store } from '#lib/table/store.ts'

export const method = defineMethod(
  {
    name: 'user_balance_get_by_username',
    summary: 'The balance of the account that has a device with this name, as plain text.',
    ...PLAIN_BALANCE,
  },
  (request) => answerPlainBalance(request, findAccountOfDevice),
)

export const handler = lambda(method)

async function findAccountOfDevice(store: Store, name: string): Promise<number | undefined> {
  const [deviceId] = await findIdsOfDevices(store, [name])
  const device = deviceId === undefined ? undefined : await findDevice(store, deviceId)
  return device?.user_id
}
