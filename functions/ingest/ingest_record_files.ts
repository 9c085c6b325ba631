import { sendersDoor } from '#lib/ingest/doors.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { fileServices } from '#lib/ingest/file-services.ts'

/** Imports the files of records that switches put into the bucket, under records/<dataset>/<file>. */
export const handler = fileConsumer('ingest_record_files', { ...fileServices(), door: sendersDoor })
