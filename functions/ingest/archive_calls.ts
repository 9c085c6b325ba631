import { mailSender } from '#lib/alerts/send-mail.ts'
import { archiver, lambdaArchiveServices } from '#lib/calls/archive/archive-function.ts'
import { documentKeeper } from '#lib/invoicing/documents/stored-files.ts'
import { mailer } from '#lib/invoicing/mails/send-mails.ts'
import type { TimeLeft } from '#lib/table/invocation.ts'

const services = lambdaArchiveServices()

const storeDocuments = documentKeeper(services)

const sendMails = mailer({ ...services, send: mailSender(process.env) })

const archiveCalls = archiver(services)

/**
 * Every 16 minutes: stores the files of documents, sends the mails that wait, then archives closed days.
 * Without documents, mails and Calls_Keep_Days it only reads the settings and how far the files go.
 */
export const handler = async (event: unknown, context: TimeLeft): Promise<void> => {
  try {
    await storeDocuments(context)
  } finally {
    try {
      await sendMails(context)
    } finally {
      await archiveCalls(event, context)
    }
  }
}
