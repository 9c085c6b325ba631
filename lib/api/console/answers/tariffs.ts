import * as v from 'valibot'
import { blankOr, countValue, flagValue, linkValue, nextPageKey, textOrBlank, textValue } from './shapes.ts'

const version = v.object({
  version: countValue,
  rates: countValue,
  imported: textValue,
  activeFrom: textOrBlank,
  activeTill: textOrBlank,
  isActive: flagValue,
})

export type TariffVersion = v.InferOutput<typeof version>

const tariff = v.object({
  id: countValue,
  name: textValue,
  purpose: textValue,
  currency: textValue,
  owner: linkValue,
  version: blankOr(countValue),
  rates: countValue,
  imported: textOrBlank,
})

export type TariffRowAnswer = v.InferOutput<typeof tariff>

export const tariffsAnswer = v.object({ tariffs: v.array(tariff) })

export type TariffsAnswer = v.InferOutput<typeof tariffsAnswer>

/** What a rate costs, as every answer shows it. */
export const ratePrice = {
  prefix: textValue,
  destination: textValue,
  perMinute: textValue,
  fee: textValue,
  increment: countValue,
  minimum: countValue,
}

const rate = v.object({
  ...ratePrice,
  hours: textValue,
  since: textOrBlank,
  isBlocked: flagValue,
})

export type ShownRate = v.InferOutput<typeof rate>

export const tariffAnswer = v.object({
  tariff,
  rates: v.array(rate),
  /** The prefix after which the next page begins. */
  next: nextPageKey,
  versions: v.array(version),
  log: v.array(v.object({ at: textValue, who: textValue, from: blankOr(countValue), to: countValue })),
  mayRollBack: flagValue,
})

export type TariffAnswer = v.InferOutput<typeof tariffAnswer>

export const tariffChangesAnswer = v.object({
  from: countValue,
  to: countValue,
  currency: textValue,
  added: countValue,
  removed: countValue,
  changed: countValue,
  unchanged: countValue,
  /** In the order of their prefixes. Null before: the rate was added; null after: it was removed. */
  rates: v.array(v.object({ before: blankOr(rate), after: blankOr(rate) })),
  /** More rates differ than are listed. */
  isCut: flagValue,
})

export type TariffChangesAnswer = v.InferOutput<typeof tariffChangesAnswer>

export const rolledBackAnswer = v.object({ id: countValue, version: countValue, rates: countValue })
