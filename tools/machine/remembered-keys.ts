import { sessionKey } from '#lib/store/accounts/session.ts'
import { settingsKey } from '#lib/store/installation/settings.ts'
import { accountKey, callerKey, isSameKey, isUnder, type Key, tariffKey } from '#lib/store/keys.ts'
import { directoryKey } from '#lib/store/rates/destination.ts'

const FORMS = [isUnder(accountKey), isUnder(callerKey), isUnder(sessionKey), isUnder(tariffKey)]

/** Whether functions may remember the item of a key for a second (wire.md 2). */
export const isRemembered = (key: Key): boolean =>
  isSameKey(key, settingsKey) || isSameKey(key, directoryKey) || FORMS.some((isOfForm) => isOfForm(key))
