import type { DescribedMethod } from '../api/catalogue.ts'
import type { Signer } from '../api/request.ts'

/** The signed API: its methods, and the account and key that sign. */
export interface Signing {
  readonly catalogue: readonly DescribedMethod[]
  readonly signer: Signer
  readonly zone: string
}
