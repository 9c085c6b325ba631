import { mediate } from '#lib/mediation/mediate.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { suspendDocument } from '#lib/mediation/suspend.ts'
import type { Deliver } from './intake-door.ts'

/** Mediates a document at once. It has a file of its own because the bundle of the function `intake` has no mediation. */
export const deliverToTable: Deliver = async (store, now, document, problem) => {
  const mediation = await openMediation(store, now)
  if (problem) await suspendDocument(mediation, document, problem)
  else await mediate(mediation, [document])
}
