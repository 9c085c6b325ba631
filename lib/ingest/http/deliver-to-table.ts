import { slices } from '#lib/base/collections.ts'
import { hexDigest } from '#lib/base/digest.ts'
import type { CdrDocument } from '#lib/cdrs/formats/formats.ts'
import { openMediation } from '#lib/cdrs/mediation.ts'
import { mediate, partsOf } from '#lib/cdrs/pipeline/pipeline.ts'
import { suspendDocument } from '#lib/cdrs/suspense/suspend.ts'
import { seeingClocks } from '#lib/cdrs/switch-clocks.ts'
import type { Store } from '#lib/table/store.ts'
import type { Deliver } from './intake-endpoint.ts'

/** The number of CDRs that are mediated already, by the digest of a document whose delivery has not ended. */
const mediatedCdrs = new Map<string, number>()

const MAX_DOCUMENTS = 100

/** A delivery resumes after its last whole step: a thousand CDRs may take longer than a request. */
export const PARTS_OF_A_STEP = 200

/**
 * Mediates a document at once. If time runs out, the answer asks for it again, and that delivery
 * resumes here. It is a file of its own because the bundle of `intake` has no mediation.
 */
export const deliverToTable: Deliver = async (store, now, document, problem) => {
  const mediation = await openMediation(store, now)
  if (problem) return suspendDocument(mediation, document, problem)
  const digest = hexDigest(JSON.stringify(document))
  let seen = 0
  const clocks = seeingClocks(mediation, 'at once')
  for (const parts of slices(clocks.passing(partsOf(mediation, [document])), PARTS_OF_A_STEP)) {
    seen += parts.length
    if (seen <= (mediatedCdrs.get(digest) ?? 0)) continue
    await mediate(mediation, parts)
    noteMediated(digest, seen)
  }
  mediatedCdrs.delete(digest)
  await clocks.noted()
}

/** Mediates small documents together. */
export async function deliverDocuments(
  store: Store,
  now: Date,
  documents: readonly CdrDocument[],
): Promise<void> {
  const mediation = await openMediation(store, now)
  const clocks = seeingClocks(mediation, 'at once')
  await mediate(mediation, clocks.passing(partsOf(mediation, documents)))
  await clocks.noted()
}

function noteMediated(digest: string, cdrs: number): void {
  const [oldest] = mediatedCdrs.keys()
  if (mediatedCdrs.size >= MAX_DOCUMENTS && oldest !== undefined) mediatedCdrs.delete(oldest)
  mediatedCdrs.set(digest, cdrs)
}
