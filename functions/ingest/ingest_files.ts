import { callArchiveOf } from '#lib/calls/archive/call-archive.ts'
import { operatorPrefix } from '#lib/ingest/bucket-prefixes.ts'
import { importDroppedSheet } from '#lib/ingest/dropped-sheet.ts'
import { fileConsumer, lambdaFileServices } from '#lib/ingest/file-consumer.ts'

/**
 * Imports the files that operators put into the bucket: dataset files other than records
 * (operator/<dataset>/<file>), and rate sheets with a profile of the same name.
 */
export const handler = fileConsumer('ingest_files', {
  ...lambdaFileServices(callArchiveOf(process.env)),
  prefix: operatorPrefix(process.env['IMPORTS_ACCESS'] === 'yes'),
  importSheet: importDroppedSheet,
})
