import { archiver, lambdaArchiveServices } from '#lib/calls/archive/archive-function.ts'

/** Archives closed days, every 20 minutes. Without Calls_Keep_Days it only reads the settings. */
export const handler = archiver('archive_calls', lambdaArchiveServices())
