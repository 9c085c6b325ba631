import {
  isSettingName,
  maskedSetting,
  mayChangeSettings,
  PAIRED_SETTINGS,
  readSettings,
  SETTINGS,
  type SettingName,
  settingError,
  settingNames,
  settingsContradiction,
  settingWarning,
} from '#lib/domain/settings.ts'
import { findCallers, hasOwners } from '#lib/store/accounts/account.ts'
import {
  findSettings,
  listSettingsLog,
  replaceSetting,
  settingObstacle,
} from '#lib/store/installation/settings.ts'
import { ConditionFailed } from '#lib/store/requests/retries.ts'
import type { Store } from '#lib/store/store.ts'
import { recountDays } from './recount.ts'

/** Why a setting stays as it is, in one sentence. */
export class SettingsRefused extends Error {}

/** One line for each setting. */
export async function listSettings(store: Store): Promise<string[]> {
  const stored = await findSettings(store)
  return settingNames.map((name) => `${name} = ${maskedSetting(name, valueIn(stored, name))}`)
}

export async function getSetting(store: Store, word: string): Promise<string> {
  const name = settingNamed(word)
  return maskedSetting(name, valueIn(await findSettings(store), name))
}

/** Who changed what, oldest first. */
export async function logOfSettings(store: Store): Promise<string[]> {
  const entries = await listSettingsLog(store)
  return entries.map((entry) => `${entry.at} ${entry.who}: ${didOf(entry)}`)
}

function didOf(entry: Awaited<ReturnType<typeof listSettingsLog>>[number]): string {
  if ('file' in entry) return entry.file
  if ('did' in entry) return `account ${entry.account} ${entry.did}`
  return `${entry.name} from "${entry.before}" to "${entry.after}"`
}

export interface WantedSetting {
  readonly name: string
  readonly value: string
  /** The username of the account that changes it. */
  readonly as: string | undefined
  /** Whoever changes it takes care of what hangs on it. */
  readonly whateverHangsOnIt?: true
}

/** Changes a setting and logs the change in one transaction. Answers what is to be said about the new value. */
export async function changeSetting(
  store: Store,
  wanted: WantedSetting,
  now: Date,
): Promise<string | undefined> {
  const name = settingNamed(wanted.name)
  refuseIf(settingError(name, wanted.value))
  const who = await authorised(store, wanted.as)
  const stored = await findSettings(store)
  const before = valueIn(stored, name)
  const warning = settingWarning(name, wanted.value)
  if (stored[name] === wanted.value) return warning
  if (PAIRED_SETTINGS[name])
    refuseIf(settingsContradiction(readSettings({ ...stored, [name]: wanted.value })))
  const obstacle = await settingObstacle(store, name, { before, after: wanted.value })
  if (!wanted.whateverHangsOnIt) refuseIf(obstacle)

  const change = { at: now.toISOString(), who, name, before, after: wanted.value }
  await replaceSetting(store, stored, change).catch(refuseRace)
  return warning
}

function refuseIf(problem: string | undefined): void {
  if (problem !== undefined) throw new SettingsRefused(problem)
}

/**
 * Another time zone for an installation that has calls. New calls are filed under its days at once, then those that are
 * there; the same again goes on where it was interrupted. Answers how many calls were moved.
 */
export async function changeTimezone(
  store: Store,
  { zone, as }: { readonly zone: string; readonly as: string | undefined },
  now: Date,
): Promise<number> {
  await changeSetting(store, { name: 'Timezone', value: zone, as, whateverHangsOnIt: true }, now)
  return recountDays(store, zone)
}

function refuseRace(error: unknown): never {
  if (!(error instanceof ConditionFailed)) throw error
  throw new SettingsRefused('Somebody else changed this setting at the same moment: look at it and try again')
}

/**
 * The name to log. Whoever deploys an installation sets its key before anybody has an account in it; from the first
 * account on, a change needs the name of one that may change settings.
 */
async function authorised(store: Store, username: string | undefined): Promise<string> {
  return username === undefined ? nobodyYet(store) : authorisedAs(store, username)
}

/** The name, when it is that of an account that may change settings. Throws SettingsRefused. */
export async function authorisedAs(store: Store, username: string): Promise<string> {
  const [account] = await findCallers(store, [username])
  if (!account) throw new SettingsRefused(`There is no account ${username}`)
  if (account.blocked) throw new SettingsRefused(`The account ${username} is blocked`)
  if (!mayChangeSettings(account)) {
    throw new SettingsRefused(`The account ${username} is not an admin and lacks the permission api_settings`)
  }
  return username
}

async function nobodyYet(store: Store): Promise<string> {
  if (!(await hasOwners(store))) return 'installation'
  throw new SettingsRefused(
    'Say who changes it: --as <username of an admin, or with permission api_settings>',
  )
}

function settingNamed(word: string): SettingName {
  if (isSettingName(word)) return word
  throw new SettingsRefused(`There is no setting ${word}: there are ${settingNames.join(', ')}`)
}

function valueIn(stored: Readonly<Record<string, unknown>>, name: SettingName): string {
  const own = stored[name]
  return typeof own === 'string' ? own : SETTINGS[name].default
}
