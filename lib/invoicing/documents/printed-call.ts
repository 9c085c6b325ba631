import type { Money } from '#lib/base/money.ts'

export interface PrintedCall {
  /** Date and time in the zone of the installation. */
  readonly time: string
  readonly from: string
  readonly to: string
  readonly destination: string
  /** `HH:MM:SS` */
  readonly duration: string
  /** In the currency of the document, with 4 decimals, because calls cost less than a minor unit. */
  readonly price: Money
}

/** The calls of a document, page by page. Undefined: the document has no annex. */
export type Annex = AsyncIterable<readonly PrintedCall[]> | undefined

export const CALL_DECIMALS = 4
