import { callArchiveOf } from '#lib/calls/archive/call-archive.ts'
import { recordsPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { fileConsumer, lambdaFileServices } from '#lib/ingest/file-consumer.ts'

/** Imports records (records/<dataset>/<file>) and CDR documents (switches/<switch>/<format>/<file>). */
export const handler = fileConsumer('ingest_record_files', {
  ...lambdaFileServices(callArchiveOf(process.env)),
  prefix: recordsPrefix,
})
