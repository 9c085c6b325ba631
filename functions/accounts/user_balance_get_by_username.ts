import { printedBalance, showsBalances } from '#lib/api/balances.ts'
import { addressCounter, attempted } from '#lib/api/login.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { findBalance } from '#lib/store/billing/balance.ts'
import { findDevice, findIdsOfDevices } from '#lib/store/devices/device.ts'

const contract = defineContract({
  name: 'user_balance_get_by_username',
  summary: 'The balance of the account that has a device with this name, as plain text.',
  callers: 'public',
  params: { id: textParam, currency: textParam },
  inPath: 'id',
  hashOrders: [],
  errors: {
    disabled: 'Feature disabled',
    wait: 'Please wait 10 seconds before trying again',
    no_user: 'User was not found',
  },
  envelope: 'plain',
  access: 'write',
  loads: addressCounter,
})

type BalanceRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  if (!showsBalances(request.settings)) throw request.refuse('disabled')
  const balance = await attempted(request, () => balanceOf(request))
  if (balance === 'wait') throw request.refuse('wait')
  return balance.amount
})

export const handler = lambda(method)

async function balanceOf(request: BalanceRequest) {
  const { params, store, refuse } = request
  const [deviceId] = await findIdsOfDevices(store, [params.id?.trim() ?? ''])
  const device = deviceId === undefined ? undefined : await findDevice(store, deviceId)
  const found = device && (await findBalance(store, device.user_id))
  if (!found) throw refuse('no_user')
  return printedBalance(request, found, params.currency)
}
