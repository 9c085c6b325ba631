import { isListed } from '#lib/base/trusted-addresses.ts'

/** A key of an integration. It signs for one account, for some methods, from some addresses. */
export interface NamedKey {
  readonly name: string
  /** The text that signs. A hash of it would not do: the server signs each request, too, and compares. */
  readonly secret: string
  /** The methods by their own names, or `all` alone. */
  readonly methods: readonly string[]
  /** IP addresses and ranges, with commas between them; blank for any address. */
  readonly from: string
  /** The key does not take the SHA-1 hash. */
  readonly v2_only: boolean
  /** The key does not take the order of payment_create that leaves parameters open. Blank: it takes it. */
  readonly sign_all?: boolean | undefined
  /** An ISO date-time. */
  readonly added_at: string
  /** The ISO date-time of the last rotation; blank for one before this was stored. */
  readonly rotated_at?: string | undefined
  /** The secret before the last rotation, which signs until this moment in Unix seconds. */
  readonly previous?: { readonly secret: string; readonly until: number } | undefined
}

/** The word for every method, those of later versions included. */
export const ALL_METHODS = 'all'

export const isKeyName = (name: string): boolean => /^[A-Za-z0-9][\w-]{0,39}$/.test(name)

export const secretsOf = ({ secret, previous }: NamedKey, now: Date): string[] =>
  previous && now.getTime() < previous.until * 1000 ? [secret, previous.secret] : [secret]

/** A request, as the limits of a key see it. */
export interface KeyUse {
  readonly method: string
  readonly address: string
  readonly signature: 'hash' | 'v2'
}

/** The limit of a key that a request exceeds; `undefined` if the key allows the request. */
export function exceededLimit(key: NamedKey, use: KeyUse): 'method' | 'address' | 'signature' | undefined {
  if (!key.methods.includes(ALL_METHODS) && !key.methods.includes(use.method)) return 'method'
  if (key.from !== '' && !isListed(key.from, use.address)) return 'address'
  return key.v2_only && use.signature !== 'v2' ? 'signature' : undefined
}
