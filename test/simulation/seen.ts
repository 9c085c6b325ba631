import { adjustments } from '#lib/billing/adjustment.ts'
import { charges } from '#lib/billing/charges/charge.ts'
import { creditNotes } from '#lib/billing/credit-note.ts'
import { invoices } from '#lib/billing/invoice.ts'
import { payments } from '#lib/billing/payment.ts'
import { type Call, identityName, isCall, readCall } from '#lib/calls/call.ts'
import { listSuspended, suspendedText } from '#lib/cdrs/suspense/suspense.ts'
import { listAuditLog } from '#lib/settings/audit-log.ts'
import { ARCHIVED_BEFORE, OPENING_DAY } from '#lib/settings/settings.ts'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import type { Item } from '#lib/table/items.ts'
import type { Simulated } from './actors.ts'
import { callOfLeg } from './documents.ts'

/** A rule that holds when nothing is under way: sentences about its exceptions. */
export type Invariant = (seen: SeenTable) => string[] | Promise<string[]>

/** Everything that is stored, read once. */
export interface SeenTable {
  readonly scene: Simulated
  readonly items: readonly Item[]
  /** All months that are over were just issued: no late call waits for the next one. */
  readonly isClosed: boolean
  /** The day from which balances count; blank while that is changed. */
  readonly balanceFrom: string
  /** The calls of earlier days are archived, also those that came since; blank if none are. */
  readonly archivedBefore: string
  /** The latest version of each call, in the table or the archive. */
  readonly calls: readonly Call[]
  /** The highest version of each call in the archive, by its name. */
  readonly archived: ReadonlyMap<string, number>
  readonly suspended: readonly string[]
  readonly payments: readonly ReturnType<typeof payments.readRow>[]
  readonly adjustments: readonly ReturnType<typeof adjustments.readRow>[]
  readonly charges: readonly ReturnType<typeof charges.readRow>[]
  readonly invoices: readonly ReturnType<typeof invoices.readRow>[]
  readonly notes: readonly ReturnType<typeof creditNotes.readRow>[]
  readonly log: readonly string[]
}

function settingsIn(items: readonly Item[]) {
  const {
    Balance_From: from,
    [OPENING_DAY]: opening,
    [ARCHIVED_BEFORE]: archivedBefore = '',
  } = items.find(({ PK, SK }) => PK === settingsKey.PK && SK === settingsKey.SK) ?? {}
  return {
    balanceFrom: opening === undefined ? String(from) : '',
    archivedBefore: String(archivedBefore),
  }
}

export async function see(scene: Simulated, items: readonly Item[], isClosed: boolean): Promise<SeenTable> {
  const { eye, bucket } = scene.installation
  const rows = <T>(kind: string, read: (item: Item) => T): T[] =>
    items.filter(({ SK, row }) => String(SK).startsWith(`${kind}#`) && row !== undefined).map(read)
  const latest = new Map<string, Call>()
  const days = [...bucket.objects.keys()].flatMap((key) => /(\d{4}-\d\d-\d\d)/.exec(key)?.[1] ?? [])
  const archived = await Promise.all(
    [...new Set(days)].map(async (day) => (await Array.fromAsync(eye.archive?.calls(day) ?? [])).flat()),
  )
  const copies = archived
    .flat()
    .map(readCall)
    .sort((one, other) => one.version - other.version)
  for (const call of [...copies, ...items.filter(isCall).map(readCall)]) {
    const known = latest.get(identityName(call))
    if (!known || known.version <= call.version) latest.set(identityName(call), call)
  }
  const suspended: string[] = []
  for await (const page of listSuspended(eye, { after: '' }))
    for (const entry of page) suspended.push(`${entry.reason}: ${await suspendedText(eye, entry)}`)
  return {
    scene,
    items,
    isClosed,
    ...settingsIn(items),
    calls: [...latest.values()].map((call) => ({ ...call, uniqueid: callOfLeg(call.uniqueid) })),
    archived: new Map(copies.map((call) => [identityName(call), call.version])),
    suspended,
    payments: rows('PAYMENT', payments.readRow as never),
    adjustments: rows('ADJUSTMENT', adjustments.readRow as never),
    charges: rows('CHARGE', charges.readRow as never),
    invoices: rows('INVOICE', invoices.readRow as never),
    notes: rows('CREDITNOTE', creditNotes.readRow as never),
    log: (await listAuditLog(eye)).map((entry) => JSON.stringify(entry)),
  }
}
