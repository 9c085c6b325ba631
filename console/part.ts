import type { Method } from './api/catalogue.ts'
import type { Signer } from './api/request.ts'
import type { Place } from './place.ts'

/** The properties of each part of the console. */
export interface PartProps {
  readonly place: Place
  readonly catalogue: readonly Method[]
  readonly signer: Signer
}
