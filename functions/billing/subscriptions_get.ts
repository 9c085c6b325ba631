import { accountNames, listOwnerIds } from '#lib/accounts/account.ts'
import { accountIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, signedOnly } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { localText } from '#lib/base/calendar.ts'
import { NO_SUCH_ID } from '#lib/base/fields.ts'
import { fullPrecision } from '#lib/base/money.ts'
import { actsFor, isAdmin, isOwnCustomerOrSelf, type LimitedScope } from '#lib/base/scope.ts'
import { findServices } from '#lib/billing/service.ts'
import { listSubscriptions, type Subscription } from '#lib/billing/subscription.ts'
import { deviceTitle } from '#lib/devices/device.ts'
import { findDevices } from '#lib/devices/device-stored.ts'
import { batchedLookup } from '#lib/table/entity.ts'
import { readFirstBatch, rowStream } from '#lib/xml/batches.ts'
import { element } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'subscriptions_get',
  summary: 'The subscriptions of one customer, of one service or of all in scope, by id.',
  callers: {
    allowed: ['admin', 'reseller', 'accountant', 'partner'],
    anonymous: 'Access Denied',
    others: 'You are not authorized to manage Subscriptions',
  },
  /** Deployed clients send user_id instead of s_user_id (wire.md subscriptions_get). */
  params: {
    s_user_id: idParam,
    user_id: idParam,
    service_id: idParam,
    subscription_activation_start: signedOnly,
    subscription_activation_end: signedOnly,
    subscription_memo: signedOnly,
    subscription_until_canceled: signedOnly,
  },
  hashOrders: [
    { signs: [] },
    /** Signed by deployed clients (wire.md subscriptions_get). */
    {
      signs: [
        'service_id',
        'subscription_activation_start',
        'subscription_activation_end',
        'subscription_memo',
        'subscription_until_canceled',
        'user_id',
      ],
    },
  ],
  errors: { none: 'No Subscriptions found' },
  envelope: 'status',
  access: 'read',
  streams: true,
  loads: { account: accountIn('s_user_id', 'user_id') },
})

type SubscriptionsRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const subscriptions = await readFirstBatch(listRequested(request))
  if (!subscriptions) throw request.refuse('none')

  return element('status', element('subscriptions', rowStream(subscriptions.all, subscriptionRows(request))))
})

export const handler = lambda(method)

async function* listRequested(request: SubscriptionsRequest) {
  const { service_id } = request.params
  for await (const batch of listSubscriptions(request.store, await scopesOf(request))) {
    yield batch.filter((subscription) => service_id === undefined || subscription.service_id === service_id)
  }
}

/** Admins see all subscriptions and may name any customer. Others may name themselves and their own. */
async function scopesOf({
  caller,
  params,
  store,
  loaded: { account },
}: SubscriptionsRequest): Promise<LimitedScope[]> {
  const userId = params.s_user_id ?? params.user_id
  if (userId === undefined && isAdmin(caller)) return (await listOwnerIds(store)).map((owner) => ({ owner }))
  if (userId === undefined) return ownAndCustomers(caller)
  if (isAdmin(caller)) return [{ user: userId }]
  return account && isOwnCustomerOrSelf(caller, account) ? [{ user: userId }] : []
}

/** An accountant is a customer of admin, but a reseller or partner is not its own customer. */
function ownAndCustomers(caller: SubscriptionsRequest['caller']): LimitedScope[] {
  const owner = actsFor(caller) ?? caller.id
  return [{ owner }, ...(caller.owner_id === owner ? [] : [{ user: caller.id }])]
}

const writeSubscriptions = rowWriter('subscription', [
  'id',
  'user',
  'device',
  'service',
  'from',
  'till',
  'memo',
  'type',
  'price',
  'user_id',
])

/** Each object that the list names is read once. */
const lookups = (store: SubscriptionsRequest['store']) => ({
  users: accountNames(store),
  devices: batchedLookup(async (ids) =>
    (await findDevices(store, ids)).map((device) => device && deviceTitle(device)),
  ),
  services: batchedLookup((ids) => findServices(store, ids)),
})

function subscriptionRows({ store, settings: { Timezone: zone } }: SubscriptionsRequest) {
  const find = lookups(store)
  return async (batch: readonly Subscription[]) => {
    const [users, devices, services] = await Promise.all([
      find.users(batch.map(({ user_id }) => user_id)),
      find.devices(batch.map(({ device_id }) => device_id)),
      find.services(batch.map(({ service_id }) => service_id)),
    ])
    const toRow = (subscription: Subscription) => {
      const service = services.get(subscription.service_id)
      return {
        ...subscription,
        user: users.get(subscription.user_id),
        device: devices.get(subscription.device_id ?? NO_SUCH_ID),
        service: service?.name,
        from: localText(subscription.from, zone),
        till: subscription.till === undefined ? '' : localText(subscription.till, zone),
        type: service?.type,
        price: service && fullPrecision(service.price),
      }
    }
    return writeSubscriptions(batch.map(toRow))
  }
}
