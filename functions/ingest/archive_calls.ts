import { archiver, lambdaArchiveServices } from '#lib/calls/archive/archive-function.ts'

/** Archives closed days, every 20 minutes. Without the setting Calls_Keep_Days it reads the settings and ends. */
export const handler = archiver('archive_calls', lambdaArchiveServices())
