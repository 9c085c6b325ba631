import { operatorsDoor } from '#lib/ingest/doors.ts'
import { fileConsumer } from '#lib/ingest/file-consumer.ts'
import { fileServices } from '#lib/ingest/file-services.ts'
import { importDroppedSheet } from '#lib/sheet-import/dropped-sheet.ts'

/**
 * Imports what operators put into the bucket: any file of a dataset but records, under operator/<dataset>/<file>, and carriers'
 * sheets beside a profile of their name.
 */
export const handler = fileConsumer('ingest_files', {
  ...fileServices(),
  door: operatorsDoor(process.env['IMPORTS_ACCESS'] === 'yes'),
  importSheet: importDroppedSheet,
})
