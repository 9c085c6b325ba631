import { mediate } from '#lib/mediation/mediate.ts'
import { openMediation } from '#lib/mediation/mediation.ts'
import { suspendDocument } from '#lib/mediation/suspend.ts'
import type { Deliver } from './intake-door.ts'

/** Mediates at once, where there is no queue. */
export const deliverToTable: Deliver = async ({ store, now, document, problem }) => {
  const mediation = await openMediation(store, now)
  if (problem) await suspendDocument(mediation, document, problem)
  else await mediate(mediation, [document])
}
