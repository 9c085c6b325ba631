import type { Actor } from '#lib/base/account-types.ts'
import { momentFormatter } from '#lib/base/calendar.ts'
import type { CallIdentity } from '#lib/base/call-identity.ts'
import { seesEveryone } from '#lib/base/scope.ts'
import type { Call } from '#lib/calls/call.ts'
import { losesOperator, losesReseller } from '#lib/rates/rating.ts'
import type { CallRowAnswer } from './answers/calls.ts'
import type { ConsoleRequest } from './resource.ts'

export const idOfCall = ({ uniqueid, source, source_part }: CallIdentity): string =>
  Buffer.from(JSON.stringify([uniqueid, source, source_part])).toString('base64url')

/** Reads such an id; `undefined` for any other text. */
export function identityOfCall(id: string): CallIdentity | undefined {
  try {
    const [uniqueid, source, source_part] = JSON.parse(Buffer.from(id, 'base64url').toString()) as unknown[]
    return { uniqueid: String(uniqueid), source: textOf(source), source_part: textOf(source_part) }
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value)

/** Turns calls into rows of a list, with the names of their customers. */
export async function callRowMaker(
  { link, settings, caller }: Pick<ConsoleRequest, 'link' | 'settings' | 'caller'>,
  calls: readonly Call[],
  locate?: (call: Call) => { readonly destination: string } | undefined,
): Promise<(call: Call) => CallRowAnswer> {
  const customerLink = await link(calls.map(({ user_id }) => user_id))
  const format = momentFormatter(settings.Timezone)
  return (call) => ({
    id: idOfCall(call),
    at: format(call.calldate).dateTime,
    from: call.src,
    to: call.dst,
    destination: locate?.(call)?.destination ?? null,
    seconds: call.billsec,
    disposition: call.disposition,
    cause: call.hangupcause,
    customer: customerLink(call.user_id),
    price: call.user_price ?? null,
    resellerPays: (seesEveryone(caller) ? call.reseller_price : undefined) ?? null,
    cost: costFor(caller, call) ?? null,
    loser: loserFor(caller, call),
  })
}

/** The party that is paid less for the call than it pays, as far as its reader sees both prices. */
function loserFor(caller: Actor, call: Call): CallRowAnswer['loser'] {
  if (seesEveryone(caller) && losesOperator(call)) return 'operator'
  return caller.usertype !== 'user' && losesReseller(call) ? 'reseller' : null
}

/** The call's cost for its reader: the operator pays the provider, a reseller the operator. */
function costFor(caller: Actor, call: Call): string | undefined {
  if (caller.usertype === 'user') return undefined
  return seesEveryone(caller) ? call.provider_price : call.reseller_price
}
