import { accounts } from '#lib/accounts/whole-account.ts'
import { adjustments } from '#lib/billing/adjustment.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { services } from '#lib/billing/service.ts'
import { subscriptions } from '#lib/billing/subscription.ts'
import { deviceRules } from '#lib/devices/device-rule-stored.ts'
import { devices } from '#lib/devices/device-stored.ts'
import { dids } from '#lib/devices/did.ts'
import { lcrs, locationGroups, locationRules, locations } from '#lib/devices/location-rule-stored.ts'
import { currencies } from '#lib/rates/currency.ts'
import { providers } from '#lib/rates/provider.ts'
import { tariffs } from '#lib/rates/tariff.ts'
import type { Entity } from '#lib/table/entity.ts'
import type { KeyForm } from '#lib/table/keys.ts'

/** All entities, in the order of docs/data-model.md. */
export const entities: readonly Entity[] = [
  ...[accounts, currencies, tariffs, providers],
  ...[devices, deviceRules, dids],
  ...[lcrs, locationGroups, locations, locationRules],
  ...[services, subscriptions, payments, adjustments, charges, invoices, creditNotes],
]

export const nounOf = (key: KeyForm): string => entities.find((entity) => entity.key === key)?.name ?? 'row'
