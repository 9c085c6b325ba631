import { accountIn, rowIn } from '#lib/api/loads.ts'
import { defineContract, defineMethod, type RequestTo } from '#lib/api/method.ts'
import { idParam, wordParam } from '#lib/api/parameters.ts'
import { lambda } from '#lib/api/stack/lambda.ts'
import { ACCOUNT_TYPES } from '#lib/base/account-types.ts'
import { formatDateTime } from '#lib/base/calendar.ts'
import { memoize } from '#lib/base/collections.ts'
import { fixed, niceDigits } from '#lib/base/money.ts'
import { actsFor, isAdmin, isOwnCustomerOrSelf } from '#lib/base/scope.ts'
import type { Rate } from '#lib/rates/rating.ts'
import { findTariff, pagesOfRates, readTariff, type Tariff } from '#lib/rates/tariff.ts'
import type { Settings } from '#lib/settings/settings.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { rowStream } from '#lib/xml/batches.ts'
import { element, type RowStream } from '#lib/xml/element.ts'
import { rowWriter } from '#lib/xml/row-writer.ts'

const contract = defineContract({
  name: 'tariff_rates_get',
  aliases: ['get_tariff'],
  summary: 'The whole rate table of a tariff, with its time windows.',
  callers: { allowed: ACCOUNT_TYPES, anonymous: 'No tariff found' },
  params: { user_id: idParam, tariff_id: idParam, origins: wordParam('1') },
  hashOrders: [{ signs: ['user_id', 'tariff_id'] }],
  errors: { no_tariff: 'No tariff found' },
  envelope: 'status',
  access: 'read',
  streams: true,
  loads: { account: accountIn('user_id'), tariff: rowIn({ key: tariffKey, read: readTariff }, 'tariff_id') },
})

type TariffRequest = RequestTo<typeof contract>

export const method = defineMethod(contract, async (request) => {
  const { store, settings, refuse } = request
  const tariff = await findRequestedTariff(request)
  if (!tariff) throw refuse('no_tariff')

  const withOrigins = request.params.origins === '1'
  const all = pagesOfRates(store, tariff, tariff.active)
  const pages = withOrigins ? all : pagesOfEveryCaller(all)
  return [
    element('pagename', 'Tariff'),
    element('tariff_name', tariff.name),
    element('purpose', tariff.purpose),
    element('currency', tariff.currency),
    element('rates', rateRows(pages, tariff.active, settings, withOrigins)),
  ]
})

export const handler = lambda(method)

/** A user_id overrides a tariff_id, unless it is 0 (wire.md tariff_rates_get). */
async function findRequestedTariff(request: TariffRequest): Promise<Tariff | undefined> {
  const { caller, params, store, loaded } = request
  if (!params.user_id && params.tariff_id !== undefined) return allowedTariff(request)
  const account = params.user_id === undefined ? caller : loaded.account
  if (!account || !isOwnCustomerOrSelf(caller, account)) return undefined
  return account.tariff_id === undefined ? undefined : findTariff(store, account.tariff_id)
}

/** Admins may name any tariff, others their own and those of their owner (wire.md tariff_rates_get). */
function allowedTariff({ caller, loaded: { tariff } }: TariffRequest): Tariff | undefined {
  if (isAdmin(caller) || tariff?.id === caller.tariff_id) return tariff
  return tariff?.owner_id === actsFor(caller) ? tariff : undefined
}

/** Columns are printed in the documented order (wire.md tariff_rates_get). */
const RATE_FIELDS = [
  'direction',
  'destination',
  'prefix',
  'code',
  'tariff_rate',
  'con_fee',
  'increment',
  'min_time',
  'start_time',
  'end_time',
  'daytype',
  'effective_from',
] as const satisfies readonly (keyof Rate)[]

/** Clients know a rate by its prefix, so rates of origins are listed only on request. */
async function* pagesOfEveryCaller(pages: AsyncIterable<readonly Rate[]>): AsyncGenerator<readonly Rate[]> {
  for await (const page of pages) yield page.filter(({ origin }) => origin === '')
}

const writeRate = rowWriter('rate', RATE_FIELDS)
const writeRateOfOrigin = rowWriter('rate', [...RATE_FIELDS, 'origin', 'adds'])

/** The tags around a row's cells. Empty cells need fewer bytes: the expected size is an upper bound. */
const ROW_TAG_BYTES = ['rate', ...RATE_FIELDS].reduce((sum, name) => sum + `<${name}></${name}>`.length, 0)
const ORIGIN_TAG_BYTES = '<origin></origin><adds>0</adds>'.length

/**
 * The rates of a tariff, rendered page by page. `expected` is the number of rates, and the bytes of the lines
 * in which they are stored.
 */
export function rateRows(
  pages: AsyncIterable<readonly Rate[]>,
  expected: { readonly rows: number; readonly bytes: number } = { rows: 0, bytes: 0 },
  settings: Settings,
  withOrigins = false,
): RowStream {
  const decimals = niceDigits(settings)
  const amount = memoize((text: string) => fixed(text, decimals), { max: MAX_CACHED_TEXTS })
  const dateTime = memoize((moment: number) => formatDateTime(moment, settings.Timezone), {
    max: MAX_CACHED_TEXTS,
  })
  const toRow = (rate: Rate) => ({
    ...rate,
    tariff_rate: amount(rate.tariff_rate),
    con_fee: amount(rate.con_fee),
    effective_from: rate.effective_from === undefined ? undefined : dateTime(rate.effective_from),
    adds: rate.adds ? 1 : 0,
  })
  const [write, tagBytes] = withOrigins
    ? [writeRateOfOrigin, ROW_TAG_BYTES + ORIGIN_TAG_BYTES]
    : [writeRate, ROW_TAG_BYTES]
  return rowStream(pages, (page) => write(page.map(toRow)), expected.bytes + expected.rows * tagBytes)
}

/** A tariff has few distinct amounts and moments. */
const MAX_CACHED_TEXTS = 10_000
