import { releaseEndpoint } from '#lib/ingest/http/control-endpoint.ts'

/** Gives back the money that is held for a call that was not answered. */
export const handler = releaseEndpoint()
