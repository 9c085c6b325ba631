import { authorizeDoor } from '#lib/ingest/http/control-door.ts'

/** Tells switches whether a call may begin, and how long it may last. */
export const handler = authorizeDoor()
