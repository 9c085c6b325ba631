const REMEDIES: Readonly<Record<string, string>> = {
  'Incorrect hash':
    'The secret key is not the one of this installation. Sign out, and sign in with the right one.',
  'Bad login':
    'The username is unknown, or the account is blocked. Sign out, and sign in under another name.',
  'API Requests are disabled':
    'The API is switched off: npx tollgate settings set Allow_API on --as USERNAME',
  'API must have Secret Key':
    'The installation has no key: npx tollgate settings set API_Secret_Key - --as USERNAME',
  'Access Denied': 'This method is not for accounts of this type.',
  Dont_be_so_smart: 'This account may not see that.',
}

export const remedyOf = (refusal: string): string | undefined =>
  Object.hasOwn(REMEDIES, refusal) ? REMEDIES[refusal] : undefined
