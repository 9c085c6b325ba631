import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { keyForm } from '#lib/table/keys.ts'
import type { Change } from '#lib/table/requests/changes.ts'
import type { Store } from '#lib/table/store.ts'

/** `at` is an ISO date-time; the suffix keeps two changes of one millisecond apart. */
export const auditLogKey = keyForm('SETTINGS', 'LOG#<at>#<suffix>')

const changeSchema = v.object({
  /** ISO date-time. */
  at: v.string(),
  who: v.string(),
  name: v.string(),
  before: v.string(),
  after: v.string(),
})

const importSchema = v.object({
  at: v.string(),
  who: v.string(),
  file: v.string(),
  /** The effect on the rows of each file, in words. */
  counts: v.optional(v.string()),
})

const accountSchema = v.object({
  at: v.string(),
  who: v.string(),
  account: v.string(),
  /** Another account may get the name later. Missing in entries of earlier releases. */
  account_id: v.optional(v.number()),
  did: v.string(),
})

const actionSchema = v.object({ at: v.string(), who: v.string(), action: v.string() })

const entrySchema = v.union([changeSchema, importSchema, accountSchema, actionSchema])

export type SettingChange = Readonly<v.InferOutput<typeof changeSchema>>

/** An import in the log: `file` is the path of the dataset, or the key of a file in the bucket. */
export type LoggedImport = Readonly<v.InferOutput<typeof importSchema>>

/** An operator's change of an account in the log: `did` is words such as "blocked". */
export type LoggedAccountChange = Readonly<v.InferOutput<typeof accountSchema>>

/** An operator's other action in the log, in words such as "dropped the suspended CDR 17". */
export type LoggedAction = Readonly<v.InferOutput<typeof actionSchema>>

/** The deed of an entry. */
export type LoggedDeed =
  | Pick<LoggedAction, 'action'>
  | Pick<LoggedAccountChange, 'account' | 'account_id' | 'did'>
  | Pick<SettingChange, 'name' | 'before' | 'after'>

export type LogEntry = SettingChange | LoggedImport | LoggedAccountChange | LoggedAction

/** An entry of the log, for the transaction that does what it says. */
export const inAuditLog = (entry: LogEntry): Change => ({
  put: { ...auditLogKey(entry.at, randomUUID()), ...entry },
})

/**
 * An entry whose words change while the action runs: after an interruption, it names the done part. Without a
 * deed it is removed.
 */
export function openLogEntry(
  of: Omit<LoggedAction, 'action'>,
  id: string = randomUUID(),
): (deed: LoggedDeed | null) => Change {
  const key = auditLogKey(of.at, id)
  return (deed) => (deed ? { put: { ...key, ...of, ...deed } } : { remove: key })
}

/** Oldest first. */
export async function listAuditLog(store: Store): Promise<LogEntry[]> {
  return (await store.list(auditLogKey.range())).map((item) => v.parse(entrySchema, item))
}

export async function listNewestLogEntries(store: Store, count: number): Promise<LogEntry[]> {
  const page = await store.firstPage({ ...auditLogKey.range(), newestFirst: true, pageSize: count })
  return page.map((item) => v.parse(entrySchema, item))
}
