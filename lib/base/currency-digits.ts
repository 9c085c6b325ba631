/** Currencies of ISO 4217 without a minor unit, and those with thousandths. All others have hundredths. */
const WITHOUT_MINOR_UNIT = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' '),
)
const WITH_THOUSANDTHS = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '))

export function minorDigits(currency: string): number {
  if (WITHOUT_MINOR_UNIT.has(currency)) return 0
  return WITH_THOUSANDTHS.has(currency) ? 3 : 2
}
