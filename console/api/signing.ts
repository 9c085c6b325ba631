import { orderApplies } from '#lib/api/signature.ts'
import type { DescribedMethod, SentValues } from './catalogue.ts'

export interface Piece {
  readonly name: string
  readonly value: string
}

/** The text hashed before the secret key: the first applicable order's values; `undefined` if public. */
export function piecesOf(
  { callers, hashOrders }: DescribedMethod,
  sent: SentValues,
): readonly Piece[] | undefined {
  if (callers === 'public') return undefined
  const order = hashOrders.find((one) => orderApplies(sent, one))
  return (order?.signs ?? []).flatMap((name) => (sent[name] ? [{ name, value: sent[name] }] : []))
}

const hex = (bytes: ArrayBuffer): string =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** SHA-1 in hex. WebCrypto is there on https and on localhost only. */
export async function sha1(text: string): Promise<string> {
  if (!globalThis.isSecureContext)
    throw new Error('A browser signs only on https or on localhost: open the page there.')
  return hex(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text)))
}

/** The parameters with their hash. */
export async function signed(method: DescribedMethod, sent: SentValues, key: string): Promise<SentValues> {
  const pieces = piecesOf(method, sent)
  if (!pieces) return sent
  return { ...sent, hash: await sha1(pieces.map(({ value }) => value).join('') + key) }
}
