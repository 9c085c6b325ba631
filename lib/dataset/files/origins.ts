import { brokenRule } from '#lib/base/row-refused.ts'
import type { ListFormat } from '#lib/dataset/format/list-file.ts'
import { references } from '#lib/dataset/format/references.ts'
import { digestLines } from '#lib/rates/lines.ts'
import { type Npa, npaColumns, npaLine, npaList } from '#lib/rates/origins/jurisdiction.ts'
import {
  type OriginRow,
  originColumns,
  originLines,
  originProblem,
  originsInLines,
  RESERVED_ORIGINS,
} from '#lib/rates/origins/origins.ts'
import { prefixOfLine } from '#lib/rates/prefix-pages.ts'
import { linesBeside, readLines } from '#lib/rates/prefix-versions.ts'
import { findTariff, fromLine, ratesOf } from '#lib/rates/tariff.ts'
import { tariffKey } from '#lib/table/keys.ts'
import { lineChanges, tariffIn } from './rates.ts'

const originLine = ({ prefix, origin }: Pick<OriginRow, 'prefix' | 'origin'>): string =>
  `${prefix}\t${origin}`

const toOriginLines = (lines: Iterable<string>): string[] => originLines(originsInLines(lines))

const storedOrigins = (lines: Iterable<string>): string[] => originsInLines(lines).map(originLine).sort()

/**
 * The file replaces all origins of each tariff that it names, in a new version of the tariff. If a file of
 * rates comes with it, that one writes the version.
 */
export const originsFile: ListFormat<OriginRow> = {
  columns: originColumns,
  keyColumns: ['tariff_id', 'origin', 'prefix'],
  requires: references({ tariff_id: tariffKey }),
  problem: ({ origin }) =>
    RESERVED_ORIGINS.has(origin)
      ? brokenRule('origin', 'is reserved: its callers are not listed')
      : undefined,
  lineOf: originLine,
  listOf: ({ tariff_id }) => tariff_id,
  listIn: tariffIn,
  brings: (lists) => ({ origins: new Map([...lists].map(([id, lines]) => [id, toOriginLines(lines)])) }),
  stored: (id) => ({
    name: `the list of origins of tariff ${id}`,
    pages: ratesOf(id),
    cells: { names: ['prefix', 'origin'], keys: 2, blank: ['', ''] },
    keyOf: (line) => line,
    writing: {
      digestIn: (version) => version?.origins?.digest,
      digestOf: (lines) => digestLines(toOriginLines(lines)).digest,
      read: async (store, version) => storedOrigins(await linesBeside(store, ratesOf(id), version)),
      listsWith: async ({ store, newRows }, version, lines) =>
        newRows.ratedTariffs.has(id)
          ? undefined
          : {
              lines: [...(await readLines(store, ratesOf(id), version))],
              beside: toOriginLines(lines),
            },
    },
    compare: async (before, after, { store, newRows }) => {
      const counts = lineChanges(before, after, (line) => line)
      const tariff = newRows.ratedTariffs.has(id) ? undefined : await findTariff(store, id)
      const rates = await readLines(store, ratesOf(id), tariff?.active)
      return { counts, remarks: [], obstacle: originProblem(rates, fromLine, toOriginLines(after)) }
    },
  }),
}

/** The file replaces the states of all area codes. */
export const npasFile: ListFormat<Npa> = {
  columns: npaColumns,
  keyColumns: ['npa'],
  lineOf: npaLine,
  listOf: () => 0,
  listIn: () => 0,
  stored: () => ({
    name: 'the states of area codes',
    pages: npaList,
    cells: { names: ['npa', 'state'], keys: 1, blank: ['', ''] },
    keyOf: prefixOfLine,
    compare: async (before, after) => ({ counts: lineChanges(before, after, prefixOfLine), remarks: [] }),
  }),
}
