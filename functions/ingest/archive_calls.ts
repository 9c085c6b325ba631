import { archiver, lambdaArchiveServices } from '#lib/calls/archive/archive-function.ts'
import { documentKeeper } from '#lib/invoicing/documents/stored-files.ts'
import type { TimeLeft } from '#lib/table/invocation.ts'

const services = lambdaArchiveServices()

const storeDocuments = documentKeeper('store_documents', services)

const archiveCalls = archiver('archive_calls', services)

/**
 * Every 16 minutes: stores the files of documents, then archives closed days. Without documents and without
 * Calls_Keep_Days it only reads the settings and how far the files go.
 */
export const handler = async (event: unknown, context: TimeLeft): Promise<void> => {
  try {
    await storeDocuments(context)
  } finally {
    await archiveCalls(event, context)
  }
}
