import { defineMethod } from '#lib/api/method.ts'
import { textParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { positiveOf } from '#lib/base/money.ts'
import { keyOfCurrency, setExchangeRate, toCurrency } from '#lib/rates/currency.ts'
import { element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'exchange_rate_update',
    summary:
      'Sets the exchange rate of a currency that is not on automatic updates, in units for one unit of the default currency.',
    callers: { allowed: ['admin'], anonymous: 'Access Denied' },
    params: { currency: textParam, rate: textParam },
    hashOrders: [{ signs: ['currency', 'rate'] }],
    errors: { not_found: 'Currency was not found', rate: 'Exchange rate is invalid' },
    envelope: 'status',
    access: 'write',
    loads: { currency: { key: ({ currency = '' }) => keyOfCurrency(currency), read: toCurrency } },
  },
  async ({ params, settings, store, loaded, refuse }) => {
    const { currency } = loaded
    if (!currency || currency.auto_update || currency.name === settings.Default_Currency) {
      throw refuse('not_found')
    }
    const rate = positiveOf(params.rate ?? '')
    if (rate === undefined) throw refuse('rate')

    const isSet = await setExchangeRate(store, currency.name, rate)
    if (!isSet) throw refuse('not_found')
    return element('status', element('success', 'Currency successfully updated'))
  },
)

export const handler = lambda(method)
