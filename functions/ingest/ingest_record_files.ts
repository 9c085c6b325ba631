import { sendersDoor } from '#lib/ingest/doors.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { fileServices } from '#lib/ingest/file-services.ts'

/** Imports files of records (records/<dataset>/<file>) and mediates CDR documents (switches/<switch>/<format>/<file>). */
export const handler = fileConsumer('ingest_record_files', { ...fileServices(), door: sendersDoor })
