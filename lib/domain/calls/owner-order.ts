/** What can tell whose call a switch reports, in the order in which it is asked unless the setting says another. */
export const CALL_OWNER_HINTS = ['account_code', 'device', 'sip_user', 'did', 'ip'] as const

export type CallOwnerHint = (typeof CALL_OWNER_HINTS)[number]

const isHint = (word: string): word is CallOwnerHint => (CALL_OWNER_HINTS as readonly string[]).includes(word)

/** The order in the setting Call_Owner_Order; `undefined` unless it names some of the hints, each once. */
export function callOwnerOrder(setting: string): CallOwnerHint[] | undefined {
  const words = setting.split(',').map((word) => word.trim())
  const isOrder = words.every(isHint) && new Set(words).size === words.length
  return isOrder ? words.filter(isHint) : undefined
}
