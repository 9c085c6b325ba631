import { accounts } from './accounts/whole-account.ts'
import { adjustments } from './billing/adjustment.ts'
import { creditNotes } from './billing/credit-note.ts'
import { invoices } from './billing/invoice.ts'
import { payments } from './billing/payment.ts'
import { services } from './billing/service.ts'
import { subscriptions } from './billing/subscription.ts'
import { devices } from './devices/device.ts'
import { deviceRules } from './devices/device-rule.ts'
import { dids } from './devices/did.ts'
import type { Entity } from './entity.ts'
import type { KeyForm } from './keys.ts'
import { lcrs, locationGroups, locationRules, locations } from './location-rules/location-rule.ts'
import { currencies } from './rates/currency.ts'
import { providers } from './rates/provider.ts'
import { tariffs } from './rates/tariff.ts'

/** All entities, in the order of docs/data-model.md. */
export const entities: readonly Entity[] = [
  ...[accounts, currencies, tariffs, providers],
  ...[devices, deviceRules, dids],
  ...[lcrs, locationGroups, locations, locationRules],
  ...[services, subscriptions, payments, adjustments, invoices, creditNotes],
]

/** The noun for the rows under a key. */
export const nounOf = (key: KeyForm): string => entities.find((entity) => entity.key === key)?.name ?? 'row'
