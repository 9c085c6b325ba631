import type { Refusal } from '#lib/base/refusal.ts'
import { refusedFor } from '#lib/base/row-refused.ts'
import { emergencyNumbers } from '#lib/devices/extension.ts'
import { isFeatureCode } from '#lib/rates/numbers/called-text.ts'
import {
  type CalledCarrier,
  decideNumber,
  type NumberDecision,
  type NumberProblem,
} from '#lib/rates/numbers/rated-number.ts'
import { ratedDigits, UNRATED_FORMS, type UnratedForm, unratedForm } from '#lib/rates/rating.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Call, CallRow } from '../call.ts'
import type { RateBook } from './rate-book.ts'

/** Why an answered call has no price; `undefined` if intended: internal, or listed in Feature_Codes. */
export const unpricedReason = (
  { billsec, rated, dst }: Pick<Call, 'billsec' | 'rated' | 'dst'>,
  settings: Pick<Settings, 'Feature_Codes'>,
): UnratedForm | undefined =>
  billsec > 0 && !isFeatureCode(dst, settings) ? UNRATED_FORMS.find((form) => form === rated) : undefined

/** The refusal of a call of which no number can be rated. */
export const refusedNumber = (
  { reason, detail }: NumberProblem,
  { steps }: NumberDecision,
): Refusal<'refused_row'> => refusedFor(reason, [...steps, detail].join('; '))

/** The number that a call is rated by, by the rule of the setting Rated_Number. */
export const numberOfCall = async (book: RateBook, row: CallRow): Promise<NumberDecision> =>
  book.settings.Rated_Number === 'carrier' ? byCarrier(book, row) : asPrinted(book, row)

async function byCarrier(book: RateBook, row: CallRow): Promise<NumberDecision> {
  const carrier = await carrierOf(book, row)
  const question = {
    dialled: (carrier && row.dialled_dst) ?? row.dst,
    carrier,
    isDevice: book.internal.has(row.dst) && !isTerminatedNumber(book, row),
    emergencies: emergencyNumbers(book.settings),
    rules: row.device_id === undefined ? [] : await book.digitRules(row.device_id),
  }
  return decideNumber(question, book.settings)
}

async function carrierOf(
  book: RateBook,
  { provider_id, carrier_dst }: CallRow,
): Promise<CalledCarrier | undefined> {
  if (provider_id === undefined || carrier_dst === undefined) return undefined
  const provider = await book.provider(provider_id)
  return provider && { ...provider, text: carrier_dst }
}

/** The rule of version 1.0: the printed number, not the one that the carrier was called with. */
function asPrinted(book: RateBook, row: CallRow): NumberDecision {
  const { internal, settings } = book
  const digits = ratedDigits(row.dst, settings)
  const isEmergency = emergencyNumbers(settings).has(row.dst)
  const isInternal = internal.has(row.dst) && (isEmergency || !isTerminatedNumber(book, row))
  const form = isInternal ? 'internal' : (printedForm(book, row) ?? 'number')
  return {
    form,
    digits,
    steps: [`dialled ${row.dst}`, `rated by ${digits}`],
    ...(isEmergency && { isEmergency }),
  }
}

/** A phone number that a provider terminated left the installation, even if a device has it too. */
const isTerminatedNumber = ({ settings }: RateBook, row: CallRow): boolean =>
  isTerminated(row) && unratedForm(row.dst, settings) === undefined

const isTerminated = ({ provider_id, provider_price }: CallRow): boolean =>
  provider_id !== undefined && provider_price === undefined

/** A call that a provider terminated had a number, whatever else was dialled: `442079460000#`. */
function printedForm({ settings }: RateBook, row: CallRow): UnratedForm | undefined {
  const form = unratedForm(row.dst, settings)
  const isLong = ratedDigits(row.dst, settings).length >= (settings.Shortest_Rated_Number ?? 0)
  return form === 'feature_code' && isTerminated(row) && isLong ? undefined : form
}
