import { authorizeEndpoint } from '#lib/ingest/http/control-endpoint.ts'

/** Answers switches whether a call may begin, and how long it may last. */
export const handler = authorizeEndpoint()
