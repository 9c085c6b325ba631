/** The meaning of a refusal of the signed API, and the setting that mends it. */
interface WayOut {
  readonly says?: string
  readonly setting?: string
}

const WAYS_OUT: Readonly<Record<string, WayOut>> = {
  'Incorrect hash': {
    says: 'The secret key is not the one of this installation. Sign out, and sign in with the right one.',
  },
  'Bad login': {
    says: 'The username is unknown, or the account is blocked. Sign out, and sign in under another name.',
  },
  'API Requests are disabled': { says: 'The API is switched off.', setting: 'Allow_API' },
  'API must have Secret Key': { says: 'The installation has no key.', setting: 'API_Secret_Key' },
  'Access Denied': { says: 'This method is not for accounts of this type.' },
  Dont_be_so_smart: { says: 'This account may not see that.' },
}

export const wayOutOf = (refusal: string): WayOut =>
  (Object.hasOwn(WAYS_OUT, refusal) ? WAYS_OUT[refusal] : undefined) ?? {}
