import { gateRefusals } from '#lib/api/errors.ts'
import type { Findings } from '#lib/api/request-context.ts'
import type { SignedCall } from '#lib/doctor/explain-hash.ts'
import { readRefusedHash } from '#lib/doctor/refused-hash.ts'

/**
 * What the hash of a refused call was made of, for its line in the log; `undefined` unless the setting Explain_Hashes is
 * on. A bundle reads the doctor from a file beside it when it is first needed (infra/bundle/doctor-beside.ts).
 */
export function hashFinding(
  contract: SignedCall['contract'],
  { settings, raw, startedAt }: Findings,
  refusal: unknown,
): string | undefined {
  if (!settings?.Explain_Hashes || refusal !== gateRefusals.incorrect_hash) return undefined
  try {
    return readRefusedHash({ contract, sent: raw, key: settings.API_Secret_Key }, startedAt)
  } catch {
    return 'unavailable'
  }
}
