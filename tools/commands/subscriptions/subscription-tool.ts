import type { Day } from '#lib/base/calendar.ts'
import { newDocumentId } from '#lib/billing/document.ts'
import { listServicesOf, type Service } from '#lib/billing/service.ts'
import { subscriptions } from '#lib/billing/subscription.ts'
import { importDataset } from '#lib/dataset/import/import.ts'
import { inAuditLog } from '#lib/settings/audit-log.ts'
import type { Cells } from '#lib/table/cells/row-source.ts'
import type { Store } from '#lib/table/store.ts'
import { findStoredAccountNamed, unknownName } from '../../command-line/named.ts'
import { type Act, operatorOf } from '../../command-line/over-table.ts'
import { CommandError } from '../../machine/terminal.ts'

interface SubscriptionOptions {
  readonly account: string
  /** The name or id of a service of the account's owner. */
  readonly service: string
  readonly from: Day
  readonly till?: Day | undefined
  readonly quantity?: number | undefined
  readonly device?: number | undefined
  readonly memo?: string | undefined
}

/** Subscribes an account to a service, by the checks of an import. */
export async function addSubscription(store: Store, wanted: SubscriptionOptions, act: Act): Promise<string> {
  const account = await findStoredAccountNamed(store, wanted.account)
  const service = await findServiceNamed(store, account.owner_id, wanted.service)
  const id = newDocumentId(act.now.getTime(), 0)
  const { from, till, quantity, device, memo } = wanted
  await importRow(store, act, {
    id: String(id),
    user_id: String(account.id),
    service_id: String(service.id),
    from: `${from} 00:00:00`,
    ...(till !== undefined && { till: `${till} 23:59:59` }),
    ...(quantity !== undefined && { quantity: String(quantity) }),
    ...(device !== undefined && { device_id: String(device) }),
    ...(memo !== undefined && { memo }),
  })
  const words = `subscription ${id} of ${account.username} to ${service.name} from ${from}`
  await log(store, act, `added ${words}`)
  return `Added ${words}`
}

/** Ends a subscription with a day. */
export async function endSubscription(
  store: Store,
  { id, till }: { readonly id: number; readonly till: Day },
  act: Act,
): Promise<string> {
  const subscription = await subscriptions.find(store, id)
  if (!subscription)
    throw new CommandError(`There is no subscription ${id}: npx tollgate call subscriptions_get lists them`)
  await importRow(store, act, { id: String(id), till: `${till} 23:59:59` })
  await log(store, act, `ended subscription ${id} on ${till}`)
  return `Subscription ${id} ends on ${till}`
}

async function findServiceNamed(store: Store, owner: number, word: string): Promise<Service> {
  const all = await listServicesOf(store, owner)
  const named = all.filter(({ id, name }) => String(id) === word || name.toLowerCase() === word.toLowerCase())
  const [service, ...others] = named
  if (others.length > 0) throw new CommandError(`${named.length} services have the name ${word}: use an id`)
  if (service) return service
  const names = all.map(({ name }) => name)
  throw unknownName('service', word, names, 'import services.csv with it.')
}

/** Imports one row of subscriptions.csv. Throws CommandError with the reason if it is refused. */
async function importRow(store: Store, { now }: Act, cells: Cells): Promise<void> {
  const source = {
    file: 'subscriptions',
    async *rows() {
      yield { line: 1, cells }
    },
  }
  const files = [{ file: 'subscriptions', source } as const]
  const reports = await importDataset({ store, clock: () => now }, 'subscriptions-command', files)
  const [reason] = reports.flatMap(({ refused }) => [...refused].map(([, words]) => words))
  if (reason !== undefined) throw new CommandError(`The subscription is refused: ${reason}`)
}

const log = async (store: Store, act: Act, action: string): Promise<void> =>
  store.transact([inAuditLog({ at: act.now.toISOString(), who: await operatorOf(store, act), action })])
