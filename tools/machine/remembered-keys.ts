import { sessionKey } from '#lib/accounts/session.ts'
import { directoryKey } from '#lib/rates/destination.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { accountKey, callerKey, isSameKey, isUnder, type Key, tariffKey } from '#lib/table/keys.ts'

const FORMS = [isUnder(accountKey), isUnder(callerKey), isUnder(sessionKey), isUnder(tariffKey)]

/** Whether functions may remember the item of a key for a second (wire.md 2). */
export const isRemembered = (key: Key): boolean =>
  isSameKey(key, settingsKey) || isSameKey(key, directoryKey) || FORMS.some((isOfForm) => isOfForm(key))
