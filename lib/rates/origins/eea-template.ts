const CODES =
  '30 31 32 33 34 351 352 353 354 356 357 358 359 36 370 371 372 385 386 39 40 420 421 423 43 45 46 47 48 49'

/** The country codes of the EEA as a file of origins, which is also in data/origins/eea.csv. */
export const EEA_TEMPLATE = ['origin,prefix', ...CODES.split(' ').map((code) => `EEA,${code}`), ''].join('\n')
