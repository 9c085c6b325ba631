import type { Method } from './api/catalogue.ts'
import type { Signer } from './api/request.ts'
import type { Place } from './place.ts'

/** What each part of the console gets. */
export interface PartProps {
  readonly place: Place
  readonly catalogue: readonly Method[]
  readonly signer: Signer
}
