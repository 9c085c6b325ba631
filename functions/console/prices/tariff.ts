import { actOperation } from '#lib/api/console/act-operation.ts'
import type { TariffVersion } from '#lib/api/console/answers/tariffs.ts'
import { type ConsoleRequest, defineResource, operation } from '#lib/api/console/resource.ts'
import { consoleLambda } from '#lib/api/console/stack.ts'
import { compareVersions } from '#lib/api/console/tariff-changes.ts'
import {
  mayChangeTariff,
  maySeeTariff,
  rateRow,
  tariffRowMaker,
  visibleTariff,
} from '#lib/api/console/tariff-rows.ts'
import { pathId, plainText, wholeNumber } from '#lib/api/console/values.ts'
import { MANAGERS } from '#lib/base/account-types.ts'
import { formatIso } from '#lib/base/calendar.ts'
import { ascending } from '#lib/base/collections.ts'
import { rollBackTariff } from '#lib/rates/acts/roll-back-tariff.ts'
import { originsInLines } from '#lib/rates/origins/origins.ts'
import { linesBeside, type Version } from '#lib/rates/prefix-versions.ts'
import { digitsOf } from '#lib/rates/rating.ts'
import { listTariffs, ratesOf, searchRates, type Tariff } from '#lib/rates/tariff.ts'
import { listSwitches, listVersions } from '#lib/rates/version-history.ts'
import type { Settings } from '#lib/settings/settings.ts'

const PAGE_RATES = 100
const MOST_LOGGED = 50
const MOST_ORIGINS = 1000
const MOST_PREFIXES = 100

const shown = { id: pathId, prefix: plainText, after: plainText }

export const resource = defineResource({
  name: 'tariff',
  access: 'write',
  operations: [
    operation('GET', '/tariffs', {
      summary: 'The tariffs, each with its active version.',
      callers: MANAGERS,
      run: async (request) => {
        const tariffs = (await listTariffs(request.store)).filter((one) => maySeeTariff(request.caller, one))
        return { tariffs: tariffs.map(await tariffRowMaker(request, tariffs)) }
      },
    }),
    operation('GET', '/tariffs/{id}', {
      summary: 'A tariff: its versions, their log, and a page of its rates from a prefix on.',
      callers: MANAGERS,
      params: shown,
      run: async (request) => {
        const { store, settings, caller } = request
        const tariff = await visibleTariff(request)
        const [toRow, versions, switches, rates] = await Promise.all([
          tariffRowMaker(request, [tariff]),
          listVersions(store, ratesOf(tariff.id)),
          listSwitches(store, ratesOf(tariff.id)),
          pageOfRates(request, tariff),
        ])
        return {
          tariff: toRow(tariff),
          rates: rates.rates.map((rate) => rateRow(rate, settings)),
          next: rates.next,
          versions: versions.map((version) => versionRow(version, tariff, settings)),
          log: switches
            .slice(-MOST_LOGGED)
            .reverse()
            .map(({ at, who, from, to }) => ({
              at: formatIso(at, settings.Timezone),
              who,
              to,
              from: from ?? null,
            })),
          hasOrigins: (tariff.active?.origins?.rows ?? 0) > 0,
          mayRollBack: mayChangeTariff(caller, tariff) && versions.length > 1,
        }
      },
    }),
    operation('GET', '/tariffs/{id}/origins', {
      summary:
        'The origins of a tariff: names for the first digits of callers. At most 1,000, each with 100 of them.',
      callers: MANAGERS,
      params: { id: pathId },
      run: async (request) => {
        const { id, active } = await visibleTariff(request)
        const rows = originsInLines(await linesBeside(request.store, ratesOf(id), active))
        const byName = [...Map.groupBy(rows, ({ origin }) => origin)].sort(([one], [other]) =>
          ascending(one, other),
        )
        return {
          origins: byName.slice(0, MOST_ORIGINS).map(([name, all]) => ({
            name,
            count: all.length,
            prefixes: all.slice(0, MOST_PREFIXES).map(({ prefix }) => prefix),
          })),
        }
      },
    }),
    operation('GET', '/tariffs/{id}/changes', {
      summary:
        'The rates that differ between two versions, by default the previous and the active one. Both together may have 20,000 rates.',
      callers: MANAGERS,
      params: { id: pathId, from: wholeNumber, to: wholeNumber },
      run: async (request) => compareVersions(request, await visibleTariff(request), request.params),
    }),
    actOperation('POST', '/tariffs/{id}/rollback', rollBackTariff),
  ],
})

export const handler = consoleLambda(resource)

/** A part is on a page or two. */
const MOST_PAGES = 4

function pageOfRates({ store, params }: ConsoleRequest<typeof shown>, tariff: Tariff) {
  const prefix = digitsOf(params.prefix ?? '')
  const from = params.after ?? prefix
  const part = { prefix, from, count: PAGE_RATES, mostPages: MOST_PAGES, matches: () => true }
  return searchRates(store, tariff, part)
}

const versionRow = (version: Version, { active }: Tariff, { Timezone }: Settings): TariffVersion => ({
  version: version.version,
  rates: version.rows,
  imported: formatIso(version.imported_at, Timezone),
  activeFrom: version.active_from ? formatIso(version.active_from, Timezone) : null,
  activeTill: version.active_till ? formatIso(version.active_till, Timezone) : null,
  isActive: version.version === active?.version,
})
