import { exceededLimit, type KeyUse, type NamedKey, secretsOf } from '#lib/accounts/named-key.ts'
import { claimSignature } from '#lib/accounts/used-signature.ts'
import type { RawParameters } from '#lib/api/raw-parameters.ts'
import { type HashOrder, signedOrder } from '#lib/api/signature.ts'
import { MIN_KEY_LENGTH } from '#lib/settings/declared-settings.ts'
import type { Settings } from '#lib/settings/settings.ts'
import type { Store } from '#lib/table/store.ts'
import { isInTime, isSignedV2, type SentV2, V2_SECONDS } from './signature-v2.ts'
import { earlierText } from './v2-text.ts'

export interface SigningKey {
  /** Missing for the key of the installation. */
  readonly name?: string
  /**
   * Why the request is refused although the key signed it: a limit of the key, or a v2 signature that is not
   * of this time, was used before, or is of an earlier version.
   */
  readonly refused?: ReturnType<typeof exceededLimit> | 'time' | 'repeated' | 'version'
  /** The parameters that the hash covers. Missing for a v2 signature, which covers the request. */
  readonly signs?: readonly string[] | undefined
}

/** The keys that may sign a request: that of the installation, and those of the account in `u`. */
export interface KnownKeys {
  readonly settings: Pick<Settings, 'API_Secret_Key' | 'Payments_Sign_All'>
  readonly keys: readonly NamedKey[] | undefined
}

/** Whether the installation has a key. A shorter one signs nothing. */
export const hasSecretKey = ({ settings }: Pick<KnownKeys, 'settings'>): boolean =>
  settings.API_Secret_Key.length >= MIN_KEY_LENGTH

/** The signature of a request: v2 if it came with one, otherwise its parameter `hash`. */
export interface SentSignature {
  readonly v2: SentV2 | undefined
  readonly raw: RawParameters
  readonly hashOrders: readonly HashOrder[]
}

export function findSigningKey(
  known: KnownKeys,
  sent: SentSignature,
  use: Pick<KeyUse, 'method' | 'address'> & { readonly now: Date },
): SigningKey | undefined {
  for (const { key, ...own } of signersIn(known, use.now)) {
    const signature = signatureBy(own, sent)
    if (!signature) continue
    const limit = key && exceededLimit(key, { ...use, signature: sent.v2 ? 'v2' : 'hash' })
    return { ...(key && { name: key.name }), ...signature, refused: limit ?? signature.refused }
  }
  return undefined
}

interface Signer {
  readonly key: NamedKey | undefined
  readonly secrets: readonly string[]
  /** Orders that leave parameters open are refused. */
  readonly signsAll: boolean
}

function signersIn(known: KnownKeys, now: Date): Signer[] {
  const { API_Secret_Key, Payments_Sign_All: signsAll } = known.settings
  const installation = { key: undefined, secrets: [API_Secret_Key], signsAll }
  const named = (known.keys ?? []).map((key) => ({
    key,
    secrets: secretsOf(key, now),
    signsAll: signsAll || key.sign_all === true,
  }))
  return [...(hasSecretKey(known) ? [installation] : []), ...named]
}

/** The signature that one of the secrets made, with the parameters that it signs; `undefined` if none did. */
function signatureBy(
  { secrets, signsAll }: Pick<Signer, 'secrets' | 'signsAll'>,
  { v2, raw, hashOrders }: SentSignature,
): Pick<SigningKey, 'signs' | 'refused'> | undefined {
  if (v2) return signatureByV2(secrets, v2)
  const orders = hashOrders.filter(({ unlessOn }) => !(signsAll && unlessOn))
  const order = secrets.map((secret) => signedOrder(raw, orders, secret)).find((one) => one !== undefined)
  return order && { signs: order.signs }
}

function signatureByV2(secrets: readonly string[], v2: SentV2): Pick<SigningKey, 'refused'> | undefined {
  if (secrets.some((secret) => isSignedV2(v2, secret))) return {}
  return secrets.some((secret) => isSignedV2(v2, secret, earlierText)) ? { refused: 'version' } : undefined
}

/** Refuses a v2 signature that is not of this time, or that another request has used. */
export async function admitOnce(
  store: Store,
  key: SigningKey | undefined,
  { v2, now, request }: { readonly v2: SentV2 | undefined; readonly now: Date; readonly request: string },
): Promise<SigningKey | undefined> {
  if (!v2 || !key || key.refused) return key
  if (!isInTime(v2, now)) return { ...key, refused: 'time' }
  const expires_at = Number(v2.request.timestamp) + 2 * V2_SECONDS
  const isFirst = await claimSignature(store, v2.signature.toLowerCase(), { request, expires_at })
  return isFirst ? key : { ...key, refused: 'repeated' }
}
