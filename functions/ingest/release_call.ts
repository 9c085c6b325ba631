import { releaseDoor } from '#lib/ingest/http/control-door.ts'

/** Gives back the money that is held for a call that was not answered. */
export const handler = releaseDoor()
