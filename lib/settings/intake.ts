import { randomInt } from 'node:crypto'
import * as v from 'valibot'
import { namesIn } from '#lib/base/collections.ts'
import { DATE_ORDERS } from '#lib/base/date-order.ts'
import { hexDigest } from '#lib/base/digest.ts'
import { ACCOUNT_CODES } from '#lib/base/switch-names.ts'
import { LENGTH_FORMS } from '#lib/csv/headings.ts'
import { picked } from '#lib/table/entity.ts'
import type { Item } from '#lib/table/items.ts'
import { keyForm, listedIn } from '#lib/table/keys.ts'
import { absent, absentOrBelow, type Change, present } from '#lib/table/requests/changes.ts'
import { hasWritten } from '#lib/table/requests/retries.ts'
import type { Store } from '#lib/table/store.ts'

/** The intakes by name, and the wrong secrets that an address sent in a minute of Unix time. */
export const intakeKeys = {
  item: keyForm('INTAKE#<name>', 'INTAKE'),
  /** In GSI1. */
  listed: keyForm('INTAKES', '<name>'),
  failures: keyForm('INTAKEFAIL#<address>', '<minute>'),
}

const texts = v.pipe(v.array(v.string()), v.readonly())

export const writingColumns = {
  /** The time zone of its CDRs; absent for that of the installation. */
  zone: v.optional(v.string()),
  columns: v.optional(texts),
  mapping: v.optional(v.pipe(v.record(v.string(), v.string()), v.readonly())),
  where: v.optional(texts),
  dates: v.optional(v.picklist(DATE_ORDERS)),
  codes: v.optional(v.picklist(ACCOUNT_CODES)),
  lengths: v.optional(v.picklist([...LENGTH_FORMS, 'ask'])),
}

const schema = v.object({
  /** The name of the switch, which is the source of its CDRs. */
  name: v.string(),
  /** In hexadecimal digits. The secret has 190 random bits, so a fast hash is enough. */
  secret_sha256: v.string(),
  ...writingColumns,
  /** An ISO date-time. */
  added_at: v.string(),
})

/** The format options of a switch, from any row that has these columns. */
export const writingOf = (row: v.InferOutput<v.ObjectSchema<typeof writingColumns, undefined>>) => ({
  ...picked(row, namesIn(writingColumns)),
  zone: row.zone ?? '',
})

/** A switch that may send CDRs over HTTP, and nothing else. */
export type Intake = v.InferOutput<typeof schema>

export const readIntake = (item: Item): Intake => v.parse(schema, item)

export const findIntake = async (store: Store, name: string): Promise<Intake | undefined> => {
  const item = await store.get(intakeKeys.item(name))
  return item && readIntake(item)
}

/** An intake whose name exists keeps its secret. */
export function intakeAdded(intake: Intake): Change {
  const keys = { ...intakeKeys.item(intake.name), ...listedIn('GSI1', intakeKeys.listed(intake.name)) }
  return { put: { ...keys, ...intake }, when: { PK: absent } }
}

export async function listIntakes(store: Store): Promise<Intake[]> {
  const items = await store.list({ index: 'GSI1', partition: intakeKeys.listed.partition() })
  return items.map(readIntake)
}

export const intakeRemoved = (name: string): Change => ({
  remove: intakeKeys.item(name),
  when: { PK: present },
})

const SECRET_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SECRET_LENGTH = 32

/** It has 190 random bits. */
export const newIntakeSecret = (): string =>
  Array.from({ length: SECRET_LENGTH }, () =>
    SECRET_CHARACTERS.charAt(randomInt(SECRET_CHARACTERS.length)),
  ).join('')

/** The form of secrets that are drawn here: a secret of another installation may be kept. */
export const isIntakeSecret = (text: string): boolean => /^[A-Za-z0-9]{32}$/.test(text)

const MINUTE_SECONDS = 60

/** Wrong secrets that an address may send within a minute: for one name, and for all names together. */
const MAX_FAILURES_OF_NAME = 10
const MAX_FAILURES_OF_ADDRESS = 100

/**
 * Counts a wrong secret; returns false, without a write, if a limit is reached. An address has one item a
 * minute, with the counters of its names: one conditional update keeps both limits, however many requests
 * arrive at once, and many names cause no more items than one. An update repeated because its answer was lost
 * may count again: the limit is then reached earlier, never later.
 */
export function countWrongSecret(store: Store, name: string, address: string, now: number): Promise<boolean> {
  const minute = Math.floor(now / MINUTE_SECONDS)
  const ofName = counterOf(name)
  const counting = { add: { failures: 1, [ofName]: 1 }, set: { expires_at: (minute + 2) * MINUTE_SECONDS } }
  const when = {
    failures: absentOrBelow(MAX_FAILURES_OF_ADDRESS),
    [ofName]: absentOrBelow(MAX_FAILURES_OF_NAME),
  }
  return hasWritten(store.update(intakeKeys.failures(address, minute), counting, when))
}

/**
 * The attribute that counts the wrong secrets of a name. It holds a digest, because a password may have been
 * typed in place of the name. With seven digits a hundred counters fit into 1 KB, which is one write unit.
 * Two names with the same digits share ten failures, which only turns a 401 into a 429.
 */
const counterOf = (name: string): string => hexDigest(name).slice(0, 7)
