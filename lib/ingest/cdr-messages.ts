import * as v from 'valibot'
import {
  type CdrDocument,
  FORMAT_NAMES,
  isSourceName,
  REASONS,
  reasonOf,
} from '#lib/mediation/formats/cdr.ts'
import { mediate } from '#lib/mediation/mediate.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { suspendDocument } from '#lib/mediation/suspend.ts'
import type { RecordStore } from './record-store.ts'

/** A JSON text in a cell; a message has no lists or objects in it. */
const json = <T extends v.GenericSchema>(schema: T) => v.pipe(v.string(), v.parseJson(), schema)

/** A CDR document as the messages `switch_record` and `switch_records` carry it. */
const schema = v.object({
  format: v.picklist(FORMAT_NAMES, 'is not a format'),
  source: v.pipe(v.string(), v.check(isSourceName, 'is not the name of a switch')),
  document: v.string(),
  zone: v.optional(v.string(), ''),
  columns: v.optional(json(v.array(v.string()))),
  mapping: v.optional(json(v.record(v.string(), v.string()))),
  /** Earlier versions sent documents that were to be suspended unread. */
  reason: v.optional(v.pipe(v.string(), v.transform(reasonOf), v.picklist(REASONS))),
  detail: v.optional(v.string(), ''),
})

/** Mediates documents of switches. Refused is only a message that does not say where its document comes from. */
export const cdrDocuments: RecordStore = async (records, { store, clock }) => {
  const mediation = await openMediation(store, clock())
  const read = records.map((cells) => v.safeParse(schema, cells))
  const queued = read.flatMap(({ success, output }) => (success ? [output] : []))
  for (const { reason, detail, ...document } of queued) {
    if (reason) await suspendDocument(mediation, documentOf(document), { reason, detail })
  }
  await mediate(mediation, queued.filter(({ reason }) => reason === undefined).map(documentOf))
  return read.map(({ issues }) => issues && sentenceOf(issues[0]))
}

type Queued = Omit<v.InferOutput<typeof schema>, 'reason' | 'detail'>

const documentOf = ({ format, source, zone, columns, mapping, document }: Queued): CdrDocument => ({
  format,
  source,
  zone,
  columns,
  mapping,
  text: document,
})

const sentenceOf = ({ path, message }: v.BaseIssue<unknown>): string =>
  `${path?.map(({ key }) => String(key)).join('.')}: ${message}`
