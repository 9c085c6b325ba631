import type { Contract } from '#lib/api/method.ts'
import { applies } from '#lib/api/signature.ts'
import { type Sent, signedParameters } from './signed-parameters.ts'

/** A call with its `hash`, and the string that was hashed; blank for a public method. */
export interface Example {
  readonly sent: Sent
  readonly string: string
}

export function signedExample(contract: Contract, params: Sent, secretKey: string): Example {
  const order = contract.hashOrders.find((one) => applies(params, one))
  const values = order?.signs.map((name) => params[name] ?? '')
  return {
    sent: signedParameters(contract, params, secretKey),
    string: values ? values.join('') + secretKey : '',
  }
}
