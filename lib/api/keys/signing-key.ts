import { exceededLimit, type KeyUse, type NamedKey, secretsOf } from '#lib/domain/accounts/named-key.ts'
import { MIN_KEY_LENGTH, type Settings } from '#lib/domain/settings.ts'

/** The key that signed a request. */
export interface SigningKey {
  /** Missing for the key of the installation. */
  readonly name?: string
  /** The limit of the key that the request exceeds; missing if the key allows the request. */
  readonly exceeds?: ReturnType<typeof exceededLimit>
}

/** The keys that may sign a request: that of the installation, and those of the account in `u`. */
export interface KnownKeys {
  readonly settings: Pick<Settings, 'API_Secret_Key'>
  readonly keys: readonly NamedKey[] | undefined
}

/** Whether the installation has a key. A shorter one signs nothing. */
export const hasSecretKey = ({ settings }: KnownKeys): boolean =>
  settings.API_Secret_Key.length >= MIN_KEY_LENGTH

/** The key whose secret signed a request. */
export function findSigningKey(
  known: KnownKeys,
  isSignedBy: (secret: string) => boolean,
  use: KeyUse & { readonly now: Date },
): SigningKey | undefined {
  if (hasSecretKey(known) && isSignedBy(known.settings.API_Secret_Key)) return {}
  const key = known.keys?.find((one) => secretsOf(one, use.now).some(isSignedBy))
  return key && { name: key.name, exceeds: exceededLimit(key, use) }
}
