import * as v from 'valibot'
import {
  blankOr,
  countValue,
  fileQuestion,
  flagValue,
  linkValue,
  nextPageKey,
  textOrBlank,
  textValue,
} from './shapes.ts'

const version = v.object({
  version: countValue,
  rates: countValue,
  imported: textValue,
  activeFrom: textOrBlank,
  activeTill: textOrBlank,
  isActive: flagValue,
})

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

/** The price of a rate, as every answer shows it. */
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
  /** The origin of the callers whom it charges; null for every caller. */
  origin: textOrBlank,
  /** Whether it is added to the rate of the call. */
  adds: flagValue,
})

const changesOfRates = {
  currency: textValue,
  added: countValue,
  removed: countValue,
  changed: countValue,
  unchanged: countValue,
  /** In the order of their prefixes. Null before: the rate was added; null after: it was removed. */
  rates: v.array(v.object({ before: blankOr(rate), after: blankOr(rate) })),
  /** More rates differ than are listed. */
  isCut: flagValue,
}

/** The changes of a tariff by new rates, made or planned. */
const planOfRates = v.object({
  ...changesOfRates,
  /** The change in words, with the largest rise and fall. */
  summary: textValue,
  customers: countValue,
  warnings: v.array(textValue),
  /** The removals that need permission. */
  removals: textOrBlank,
  /** The hours without a price, or with two, that need permission. */
  gaps: textOrBlank,
  /** The version that the plan was compared with; null for a tariff without rates. */
  compared: blankOr(countValue),
})

const isWritten = v.picklist(['no', 'written', 'unchanged'])

/** The answers about tariffs and rate sheets. */
export const TARIFF_ANSWERS = {
  'GET /tariffs': v.object({ tariffs: v.array(tariff) }),
  'GET /customers/{id}/prices': v.object({
    currency: textValue,
    /** `calls` is the number of newest calls of the customer at the rate. */
    rates: v.array(v.object({ ...rate.entries, calls: countValue })),
  }),
  'GET /tariffs/{id}': v.object({
    tariff,
    rates: v.array(rate),
    /** The prefix after which the next page begins. */
    next: nextPageKey,
    versions: v.array(version),
    log: v.array(v.object({ at: textValue, who: textValue, from: blankOr(countValue), to: countValue })),
    hasOrigins: flagValue,
    mayRollBack: flagValue,
  }),
  'GET /tariffs/{id}/changes': v.object({ from: countValue, to: countValue, ...changesOfRates }),
  'POST /tariffs/{id}/rollback': v.object({ id: countValue, version: countValue, rates: countValue }),
  'POST /tariffs/{id}/sheet': v.object({
    /** As long as there are any, there is no plan. */
    questions: v.array(fileQuestion),
    /** The profile by which it is read, in JSON: answers to further questions are added to it. */
    profile: textValue,
    /** It is that of the last sheet of the tariff. */
    isKept: flagValue,
    /** How the sheet is read, in lines. */
    reading: v.array(textValue),
    refused: countValue,
    /** The first refused rows. */
    refusedRows: v.array(v.object({ line: countValue, reason: textValue })),
    rates: countValue,
    /** The number of prefixes that end later, by the sheet. */
    ending: countValue,
    /** All rates of the first prefix of the sheet that has rates of origins. */
    byOrigin: v.array(rate),
    plan: blankOr(planOfRates),
    isWritten,
  }),
  /** The changes of a tariff by new origins of callers. */
  'POST /tariffs/{id}/origins': v.object({ plan: planOfRates, isWritten }),
  /** The origins of a tariff, by name; of each the first prefixes. */
  'GET /tariffs/{id}/origins': v.object({
    origins: v.array(v.object({ name: textValue, count: countValue, prefixes: v.array(textValue) })),
  }),
  /** The rates that follow from a cost, and what they change. */
  'POST /tariffs/{id}/markup': v.object({ rates: countValue, plan: planOfRates, isWritten }),
}

export type TariffVersion = v.InferOutput<typeof version>

export type TariffRowAnswer = v.InferOutput<typeof tariff>

export type TariffsAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['GET /tariffs']>

export type ShownRate = v.InferOutput<typeof rate>

export type UsualPricesAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['GET /customers/{id}/prices']>

export type TariffAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['GET /tariffs/{id}']>

export type TariffChangesAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['GET /tariffs/{id}/changes']>

export type PlanOfRates = v.InferOutput<typeof planOfRates>

export type SheetAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['POST /tariffs/{id}/sheet']>

export type OriginsPlanAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['POST /tariffs/{id}/origins']>

export type MarkupAnswer = v.InferOutput<(typeof TARIFF_ANSWERS)['POST /tariffs/{id}/markup']>
