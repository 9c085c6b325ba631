import type { Signer } from './api/request.ts'

const PLACE = 'tollgate'

/** The account that is signed in, for the life of this tab. */
export function keptSigner(): Signer | undefined {
  const kept = sessionStorage.getItem(PLACE)
  return kept === null ? undefined : (JSON.parse(kept) as Signer)
}

export const keep = (signer: Signer): void => sessionStorage.setItem(PLACE, JSON.stringify(signer))

export const forget = (): void => sessionStorage.removeItem(PLACE)
