/**
 * The country codes in which national numbers have a fixed length and are dialled without a prefix, by these
 * lengths. From data/numbering-plans.json, by libphonenumber's metadata; a test compares them.
 */
const CODES_BY_LENGTHS: Readonly<Record<string, string>> = {
  '5': '247 500 682',
  '6': '298 299 672 681 687',
  '7': '220 238 239 246 248 269 297 501 592 673 674 679 680 691 960',
  '8': '45 47 65 216 222 223 226 227 228 235 236 253 257 266 268 350 356 357 371 502 503 504 505 506 509 689 852 853 965 968 973 974',
  '9': '34 56 221 237 240 242 244 245 351 420 992 998',
  '10': '1 30 52 225 229',
  '4,5': '290',
  '4,7': '683',
  '5,7': '676 677 678',
  '6,7': '597',
  '6,9': '376',
  '7,8': '230 241 267 372 507 599 670 675 975',
  '7,9': '48 354',
  '8,9': '224 258',
  '8,10': '378',
}

const LENGTHS_BY_CODE = new Map(
  Object.entries(CODES_BY_LENGTHS).flatMap(([lengths, codes]) =>
    codes.split(' ').map((code) => [code, lengths] as const),
  ),
)

/** The lengths of national numbers in such a plan; blank for other plans. */
export const closedPlanLengths = (countryCode: string): string => LENGTHS_BY_CODE.get(countryCode) ?? ''
