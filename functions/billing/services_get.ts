import { listOwnerIds } from '#lib/accounts/account.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { fullPrecision } from '#lib/base/money.ts'
import { actsFor, isAdmin } from '#lib/base/scope.ts'
import { listServicesOf, listServicesOfAll, type Service } from '#lib/billing/service.ts'
import { type Element, element } from '#lib/xml/element.ts'

const contract = defineContract({
  name: 'services_get',
  summary:
    'The service catalogue: of every owner for admin, otherwise of the account that the caller acts for.',
  callers: { allowed: ['admin', 'reseller', 'accountant', 'partner'], anonymous: 'Access Denied' },
  params: {},
  hashOrders: [{ signs: [] }],
  errors: { none: 'No Services found' },
  envelope: 'status',
  access: 'read',
})

export const method = defineMethod(contract, async (request) => {
  const services = await servicesInScope(request)
  if (services.length === 0) throw request.refuse('none')

  const { Default_Currency } = request.settings
  return element(
    'services',
    services.map((service) => serviceElement(service, Default_Currency)),
  )
})

export const handler = lambda(method)

async function servicesInScope({ caller, store }: RequestTo<typeof contract>): Promise<Service[]> {
  if (isAdmin(caller)) return listServicesOfAll(store, await listOwnerIds(store))
  return listServicesOf(store, actsFor(caller) ?? caller.id)
}

const serviceElement = (service: Service, defaultCurrency: string): Element =>
  element(
    'service',
    element('id', service.id),
    element('name', service.name),
    element('memo', service.memo),
    element('type', service.type),
    element('period', service.period),
    element('price', fullPrecision(service.price)),
    element('self_cost', fullPrecision(service.self_cost)),
    element('currency', service.currency || defaultCurrency),
    element('quantity', service.quantity),
  )
