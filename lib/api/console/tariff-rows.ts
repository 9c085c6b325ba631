import type { Caller } from '#lib/accounts/account.ts'
import type { Actor } from '#lib/base/account-types.ts'
import { formatDateTime, formatIso } from '#lib/base/calendar.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import { isBlocked, type Rate } from '#lib/rates/rating.ts'
import { findTariff, type Tariff } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { ShownRate, TariffRowAnswer } from './answers/tariffs.ts'
import { unknownThing } from './refusals.ts'
import type { ConsoleRequest } from './resource.ts'

/** The operator sees every tariff; a reseller or partner its own ones and the one that it pays by. */
export const maySeeTariff = (caller: Caller, { id, owner_id }: Tariff): boolean =>
  seesEveryone(caller) || owner_id === caller.id || id === caller.tariff_id

/** An admin changes every tariff, a reseller or partner its own ones. */
export const mayChangeTariff = (caller: Actor, { owner_id }: Tariff): boolean =>
  caller.usertype === 'admin' || (caller.usertype !== 'accountant' && owner_id === caller.id)

/** The tariff of a path. A hidden tariff is refused in the same words as a missing one. */
export async function visibleTariff({
  store,
  caller,
  params,
}: Pick<ConsoleRequest, 'store' | 'caller'> & { readonly params: { readonly id: number } }): Promise<Tariff> {
  const tariff = await findTariff(store, params.id)
  if (!tariff || !maySeeTariff(caller, tariff)) throw unknownThing('tariff', params.id)
  return tariff
}

/** Makes rows of these tariffs as a list shows them, with the names of their owners. */
export async function tariffRowMaker(
  { link, settings }: Pick<ConsoleRequest, 'link' | 'settings'>,
  tariffs: readonly Tariff[],
): Promise<(tariff: Tariff) => TariffRowAnswer> {
  const ownerLink = await link(tariffs.map(({ owner_id }) => owner_id))
  return ({ id, name, purpose, currency, owner_id, active }) => ({
    id,
    name,
    purpose,
    currency: currency || settings.Default_Currency,
    owner: ownerLink(owner_id),
    version: active?.version ?? null,
    rates: active?.rows ?? 0,
    imported: active ? formatIso(active.imported_at, settings.Timezone) : null,
  })
}

/** The price of a rate, by the names of answers. */
export const priceRow = (rate: Rate) => ({
  prefix: rate.prefix,
  destination: rate.destination,
  perMinute: rate.tariff_rate,
  fee: rate.con_fee,
  increment: rate.increment,
  minimum: rate.min_time,
})

export const rateRow = (rate: Rate, { Timezone }: Settings): ShownRate => ({
  ...priceRow(rate),
  hours: `${rate.daytype} ${rate.start_time} to ${rate.end_time}${untilEnd(rate, Timezone)}`,
  since: rate.effective_from === undefined ? null : formatDateTime(rate.effective_from, Timezone),
  isBlocked: isBlocked(rate),
  origin: rate.origin || null,
  adds: rate.adds,
})

const untilEnd = ({ ends_at, after_end }: Rate, zone: string): string =>
  ends_at === undefined
    ? ''
    : ` until ${formatDateTime(ends_at, zone)}${after_end === 'blocked' ? ', then blocked' : ''}`
