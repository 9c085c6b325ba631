import * as v from 'valibot'
import { paired } from '#lib/base/collections.ts'
import { findCalls, identityName } from '#lib/calls/call.ts'
import { invoiceCheck } from '#lib/calls/rating/rate-book.ts'
import { isArchivedDay } from '#lib/calls/retention.ts'
import { keyForm } from '#lib/table/keys.ts'
import type { Cdr, Problem } from '../formats/cdr.ts'
import {
  type CdrOutcomes,
  type CdrVersion,
  isStoredOutcome,
  MATCHED_SECONDS,
  type MediationContext,
  type MediationOutcome,
  type PartOf,
} from '../mediation.ts'
import { itemsOfSwitch } from './identity-kinds.ts'
import { takeBack } from './take-back.ts'

// The last line of a document without a line end may be half of a line of the switch: `...,6` of `...,61`.
// It is stored as a call, and remembered. A later line that it is the beginning of is that call.

/** The last line of a switch that has no line end. It is stored with the kinds, which are read anyway. */
export const halfLineKey = keyForm('SWITCHIDS#<source>', 'HALFLINE')

const HALF_LINE = halfLineKey('').SK

const schema = v.object({
  /** With every cell in quotes. */
  line: v.string(),
  calldate: v.number(),
  uniqueid: v.string(),
  source_part: v.optional(v.string()),
  /** Its whole line has come. */
  isReplaced: v.optional(v.boolean()),
})

type HalfLine = v.InferOutput<typeof schema>

/** Longer lines are not remembered. */
const MAX_LINE_CHARACTERS = 4000

type CdrPart = PartOf<'cdr' | 'leg'>

/** The facts of earlier half lines about CDRs. */
export interface HalfLines {
  /** The CDRs whose half was stored. */
  readonly wholes: ReadonlyMap<Cdr, HalfLine>
  /** The halves that come again after their whole line. */
  readonly replaced: ReadonlySet<Cdr>
}

/** Those of switches whose CDRs are rows that one parser reads by position. */
export async function findHalfLines(
  { store, switchItems }: MediationContext,
  parts: readonly CdrPart[],
): Promise<HalfLines> {
  const rows = parts.filter(isRow)
  const sources = [...new Set(rows.map(({ document: { source } }) => source))]
  const items = await Promise.all(sources.map((source) => itemsOfSwitch(store, source)))
  for (const [source, found] of paired(sources, items)) if (found) switchItems?.set(source, found)
  const halves = new Map(
    [...paired(sources, items)].flatMap(([source, found]) => {
      const item = found?.find(({ SK }) => SK === HALF_LINE)
      return item ? [[source, v.parse(schema, item)] as const] : []
    }),
  )
  const found = rows.flatMap((part) => {
    const half = halves.get(part.document.source)
    return half && half.calldate === part.found.cdr.start ? [{ part, half, line: part.line?.() ?? '' }] : []
  })
  return {
    wholes: new Map(
      found.flatMap(({ part, half, line }) =>
        isBeginning(half.line, line) || hasOtherEnd(half.line, line, part.found.cdr)
          ? [[part.found.cdr, half] as const]
          : [],
      ),
    ),
    replaced: new Set(
      found
        .filter(({ part, half, line }) => part.isUnended && half.isReplaced && half.line === line)
        .map(({ part }) => part.found.cdr),
    ),
  }
}

const isRow = ({ document: { format }, isRetried }: CdrPart): boolean =>
  !isRetried && (format === 'csv' || format === 'asterisk-csv')

/** The last cell of a half line continues. */
const isBeginning = (half: string, line: string): boolean =>
  line.length > half.length && line.startsWith(half.slice(0, -1))

/** With a unique id, a line that differs from its half in the last cell only is the same call. */
const hasOtherEnd = (half: string, line: string, { uniqueid }: Cdr): boolean =>
  uniqueid !== '' && half !== line && withoutLastCell(half) === withoutLastCell(line)

const withoutLastCell = (line: string): string => line.slice(0, line.lastIndexOf(',"'))

/**
 * The CDRs to store, and the outcomes of the others. A whole line with the identity of its half corrects it,
 * whatever was cut. Another one is refused if its half is on an invoice or archived.
 */
export async function withoutSettledHalves(
  mediation: MediationContext,
  versions: readonly CdrVersion[],
  { wholes, replaced }: HalfLines,
): Promise<{ readonly open: readonly CdrVersion[]; readonly outcomes: CdrOutcomes }> {
  if (wholes.size + replaced.size === 0) return { open: versions, outcomes: new Map() }
  const outcomes = new Map<Cdr, MediationOutcome>([...replaced].map((cdr) => [cdr, 'duplicate']))
  const corrections = versions.map((version) => {
    const half = wholes.get(version.cdr)
    return half && isOfCall(half, version) ? { ...version, isOfLinkedCall: true } : version
  })
  for (const version of corrections) {
    const half = version.isOfLinkedCall ? undefined : wholes.get(version.cdr)
    const refusal = half && (await refusalBeside(mediation, half, version))
    if (refusal) outcomes.set(version.cdr, refusal)
  }
  return { open: corrections.filter(({ cdr }) => !outcomes.has(cdr)), outcomes }
}

async function refusalBeside(
  { store, settings }: MediationContext,
  { uniqueid, source_part }: HalfLine,
  { source }: CdrVersion,
): Promise<Problem | undefined> {
  const [stored] = await findCalls(store, [{ source, uniqueid, source_part }])
  if (!stored) return undefined
  const isInvoiced = invoiceCheck(store, settings)
  if (!isArchivedDay(stored.day, settings) && !(await isInvoiced(stored))) return undefined
  return {
    reason: 'invoiced',
    detail: `the beginning of its line is stored as ${uniqueid}, and its day ${stored.day} is invoiced or archived`,
  }
}

const isOfCall = (half: HalfLine, { source, row }: CdrVersion): boolean =>
  identityName({ ...half, source }) === identityName(row)

/**
 * Takes back the calls of half lines whose whole line was stored as a call of its own, and remembers the half
 * lines of these parts. Returns the outcomes.
 */
export async function settleHalfLines(
  mediation: MediationContext,
  parts: readonly CdrPart[],
  versions: readonly CdrVersion[],
  { halves, outcomes }: { readonly halves: HalfLines; readonly outcomes: CdrOutcomes },
): Promise<CdrOutcomes> {
  const settled = new Map<Cdr, MediationOutcome>(outcomes)
  for (const version of versions) {
    const { cdr, row, source } = version
    const half = halves.wholes.get(cdr)
    if (!half || half.isReplaced || !isStoredOutcome(outcomes.get(cdr))) continue
    const call = { source, uniqueid: half.uniqueid, source_part: half.source_part }
    const isTaken = !isOfCall(half, version) && (await takeBack(mediation, [{ call, kept: row }])).size > 0
    if (isTaken) settled.set(cdr, 'corrected')
    await remember(mediation, source, { ...half, isReplaced: true })
  }
  await rememberHalves(mediation, parts, versions, settled)
  return settled
}

/** The last one of each switch is remembered. */
async function rememberHalves(
  mediation: MediationContext,
  parts: readonly CdrPart[],
  versions: readonly CdrVersion[],
  outcomes: CdrOutcomes,
): Promise<void> {
  const byCdr = new Map(versions.map((version) => [version.cdr, version]))
  const open = parts.filter((part) => part.isUnended && isRow(part))
  for (const { found, line: lineOf } of open) {
    const [version, line] = [byCdr.get(found.cdr), lineOf?.() ?? '']
    if (!version || line.length > MAX_LINE_CHARACTERS || !isStoredOutcome(outcomes.get(found.cdr))) continue
    const { uniqueid, source_part, calldate } = version.row
    await remember(mediation, version.source, { line, calldate, uniqueid, source_part })
  }
}

function remember({ store, now }: MediationContext, source: string, half: HalfLine): Promise<void> {
  const item = { ...halfLineKey(source), ...half, expires_at: now + MATCHED_SECONDS }
  return store.putBatch([item])
}
