import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { root } from '#tools/machine/program.ts'

/** How the numbers of a country are dialled at home, by the metadata of libphonenumber. */
export interface NumberingPlan {
  /** By ISO 3166; of several countries of one code the main one. */
  readonly country: string
  /** The trunk prefix; blank if numbers have none. */
  readonly nationalPrefix: string
  readonly internationalPrefix: string
  /** The lengths of fixed and mobile numbers without country code and trunk prefix. */
  readonly lengths: readonly string[]
  readonly emergencyNumbers: string
}

const row = v.tuple([v.string(), v.string(), v.string(), v.string(), v.string()])

const file = v.object({ plans: v.record(v.string(), row) })

export async function findNumberingPlan(countryCode: string): Promise<NumberingPlan | undefined> {
  const { plans } = v.parse(file, JSON.parse(await readFile(`${root}data/numbering-plans.json`, 'utf8')))
  const found = Object.hasOwn(plans, countryCode) ? plans[countryCode] : undefined
  if (!found) return undefined
  const [country, nationalPrefix, internationalPrefix, lengths, emergencyNumbers] = found
  return {
    country,
    nationalPrefix,
    internationalPrefix: internationalPrefix || '00',
    lengths: lengths === '' ? [] : lengths.split(','),
    emergencyNumbers: emergencyNumbers || '112,911',
  }
}

/** A plan of more lengths is open: a number of that length may also be one of another country. */
const MOST_CLOSED_LENGTHS = 2

/**
 * The lengths by which a number without a prefix is national: of a closed plan in which national numbers are
 * dialled without a prefix. In North America the prefix is the country code, and is left out, too.
 */
export function nationalLengthOf({ nationalPrefix, lengths }: NumberingPlan, countryCode: string): string {
  const isPlain = nationalPrefix === '' || nationalPrefix === countryCode
  return isPlain && lengths.length <= MOST_CLOSED_LENGTHS ? lengths.join(',') : ''
}
