import { defineMethod } from '#lib/api/method.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { today } from '#lib/base/calendar.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { widestScope } from '#lib/base/scope.ts'
import { findQuickStats } from '#lib/calls/counters/call-stats.ts'
import { marginOf, profitOf, type Tally } from '#lib/calls/counters/statistics.ts'
import { countActiveCalls } from '#lib/calls/live/active-call-stored.ts'
import { type Content, type Element, element } from '#lib/xml/element.ts'

export const method = defineMethod(
  {
    name: 'quickstats_get',
    summary: 'The totals of a dashboard: this month, today, and the calls in progress.',
    callers: { allowed: ['admin', 'reseller', 'user'], anonymous: 'Access Denied', others: 'Access Denied' },
    params: {},
    hashOrders: [
      { signs: [], when: { u: 'admin' } },
      { signs: ['u'], unless: { u: 'admin' } },
    ],
    errors: {},
    envelope: 'status',
    access: 'read',
  },
  async ({ caller, settings, store, clock }) => {
    const now = clock()
    const isUser = caller.usertype === 'user'
    const [stats, active] = await Promise.all([
      findQuickStats(store, widestScope(caller), today(now, settings.Timezone), settings.shards),
      isUser ? undefined : countActiveCalls(store, caller, now, settings.shards),
    ])

    const totals = (tally: Tally): Content => [
      element('calls', tally.answered),
      element('duration', tally.billsec),
      isUser ? undefined : moneyElements(tally, niceDigits(settings)),
    ]
    return element(
      'quickstats',
      element('this_month', totals(stats.month)),
      element('today', totals(stats.today)),
      active &&
        element(
          'active_calls',
          element('total', active.total),
          element('answered_calls', active.answered_calls),
        ),
    )
  },
)

export const handler = lambda(method)

const MARGIN_DIGITS = 2

const moneyElements = (tally: Tally, digits: number): Element[] => [
  element('revenue', fixed(tally.revenue, digits)),
  element('self_cost', fixed(tally.self_cost, digits)),
  element('profit', fixed(profitOf(tally), digits)),
  element('margin', fixed(marginOf(tally), MARGIN_DIGITS)),
]
