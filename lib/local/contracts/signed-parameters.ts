import type { Contract } from '#lib/api/method.ts'
import type { RawParameters } from '#lib/api/sent.ts'
import { isSigned, signatureOf } from '#lib/api/signature.ts'

export type Sent = Readonly<Record<string, string>>

/** The parameters with their `hash`, in the first order of the contract that applies to them. */
export function signedParameters({ callers, hashOrders }: Contract, sent: Sent, secretKey: string): Sent {
  if (callers === 'public') return sent
  const signatures = hashOrders.map((order) => ({ ...sent, hash: signatureOf(sent, order, secretKey) }))
  return signatures.find((signed: RawParameters) => isSigned(signed, hashOrders, secretKey)) ?? sent
}
