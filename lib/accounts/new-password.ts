import type { Settings } from '#lib/settings/settings.ts'

type PasswordSettings = Pick<Settings, 'Default_User_Password_length' | 'Use_strong_passwords'>

const SHORTEST_PASSWORD = 6

/** The fewest characters of a new password of an account. */
export const shortestPassword = ({
  Default_User_Password_length,
}: Pick<PasswordSettings, 'Default_User_Password_length'>): number =>
  Default_User_Password_length ?? SHORTEST_PASSWORD

/** Whether a password lacks a digit, a capital or a small letter, and the settings ask for strong ones. */
export const isWeakPassword = (
  { Use_strong_passwords }: Pick<PasswordSettings, 'Use_strong_passwords'>,
  password: string,
): boolean => Use_strong_passwords && !/^(?=.*\d)(?=.*\p{Lu})(?=.*\p{Ll})/su.test(password)

/** The fewest characters of a password that an operator gives an account. */
export const SHORTEST_GIVEN_PASSWORD = 8
