import * as v from 'valibot'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { FORMAT_NAMES, isSourceName } from '#lib/cdrs/formats/cdr.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { IngestedTable } from './stored-rows.ts'

/** A JSON text in a cell: records are flat, without lists and objects. */
const json = <T extends v.GenericSchema>(schema: T) => v.pipe(v.string(), v.parseJson(), schema)

const queuedDocument = v.object({
  format: v.picklist(FORMAT_NAMES, 'is not a format'),
  source: v.pipe(v.string(), v.check(isSourceName, 'is not the name of a switch')),
  document: v.string(),
  zone: v.optional(v.string(), ''),
  columns: v.optional(json(v.array(v.string()))),
  mapping: v.optional(json(v.record(v.string(), v.string()))),
  where: v.optional(json(v.array(v.string()))),
  dates: v.optional(v.picklist(DATE_ORDERS, 'is not an order of dates')),
})

/** Mediates CDR documents. A record is refused only if it does not name format and switch. */
export async function mediateRecords(
  records: readonly Cells[],
  { store, clock }: IngestedTable,
): Promise<ReadonlyMap<Cells, string>> {
  const mediation = await openMediation(store, clock())
  const read = records.map((cells) => ({ cells, ...v.safeParse(queuedDocument, cells) }))
  const documents = read.flatMap(({ success, output }) => {
    if (!success) return []
    const { document: text, ...origin } = output
    return [{ ...origin, text }]
  })
  await mediate(mediation, partsOf(mediation, documents))
  return new Map(
    read.flatMap(({ cells, issues }) =>
      issues ? [[cells, `${v.getDotPath(issues[0])}: ${issues[0].message}`]] : [],
    ),
  )
}
