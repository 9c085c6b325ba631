import * as v from 'valibot'
import { type Column, textLike } from '#lib/table/columns.ts'
import { keyForm, listName } from '#lib/table/keys.ts'
import type { Store } from '#lib/table/store.ts'
import { activeVersion, type PagedList, readVersions, type Version } from '../prefix-versions.ts'
import type { Rate } from '../rating.ts'
import type { CallerOfRate } from './matching.ts'
import { INDETERMINATE, JURISDICTIONS, type LinesFinder } from './origins.ts'

// The states of the area codes of the North American plan, by which carriers of the US charge (wire.md 7.7).

const npa: Column<string> = {
  describes: 'an area code of three digits, the first from 2',
  schema: v.pipe(v.string(), v.regex(/^[2-9]\d\d$/)),
  fromCell: (cell) => cell.trim().replace(/^\+?1(?=\d{3}$)/, ''),
}

export const npaColumns = { npa, state: textLike('at most 40 characters', /^[^\t\r\n]{0,40}$/, '') }

/** An area code and its state; blank for one of no state, such as toll-free numbers. */
export interface Npa {
  readonly npa: string
  readonly state: string
}

export const npaLine = ({ npa: code, state }: Npa): string => `${code}\t${state}`

export function npaInLine(line: string): Npa {
  const [code = '', state = ''] = line.split('\t')
  return { npa: code, state }
}

export const npasKey = keyForm('NPAS', 'NPAS')()

export const npaPages = listName('AREACODES#<version>')

export const npaList: PagedList = { header: npasKey, pages: npaPages }

/** The area codes that the installation has. */
export const findNpas = async (store: Store): Promise<Version | undefined> =>
  activeVersion(readVersions(await store.get(npasKey)))

/** Adds the jurisdiction of a call to the origins of its caller, after all others. */
export async function withJurisdiction(
  find: LinesFinder,
  findVersion: () => Promise<Version | undefined>,
  rates: readonly Rate[],
  { digits, from, caller }: { digits: string; from: string | undefined; caller: CallerOfRate },
): Promise<CallerOfRate> {
  if (!digits.startsWith('1') || !rates.some(({ origin }) => JURISDICTIONS.includes(origin))) return caller
  const version = await findVersion()
  const [one, other] = await Promise.all([stateOf(find, version, digits), stateOf(find, version, from)])
  const isKnown = one !== '' && other !== ''
  const ofStates = one === other ? 'intrastate' : 'interstate'
  const name = isKnown ? ofStates : INDETERMINATE
  return { ...caller, origins: [...caller.origins, { name, prefix: '' }] }
}

/** Blank for a number of another plan, and for an area code of no known state. */
async function stateOf(find: LinesFinder, version: Version | undefined, digits = ''): Promise<string> {
  if (!/^1\d{3}/.test(digits)) return ''
  const [line] = await find(npaList, version, digits.slice(1, 4))
  return line === undefined ? '' : npaInLine(line).state
}
