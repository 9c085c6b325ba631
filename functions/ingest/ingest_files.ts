import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { awsFileStore } from '#lib/ingest/file-store.ts'
import { lambdaServices } from '#lib/ingest/lambda-services.ts'

const PART_BYTES = 8_000_000

/** Imports the files of a dataset that are dropped into the bucket, under incoming/<dataset>/<file>. */
export const handler = fileConsumer('ingest_files', {
  ...lambdaServices(),
  files: awsFileStore(process.env),
  partBytes: PART_BYTES,
})
