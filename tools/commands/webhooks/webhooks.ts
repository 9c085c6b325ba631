import type { Command } from '@commander-js/extra-typings'
import { listDeliveries } from '#lib/alerts/delivery.ts'
import { type Endpoint, listAllEndpoints } from '#lib/alerts/endpoint.ts'
import {
  addWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  resendWebhook,
  rotateWebhook,
  testWebhook,
} from '#lib/alerts/endpoint-acts.ts'
import type { Store } from '#lib/table/store.ts'
import { actCommand } from '../../command-line/act-commands.ts'
import { listCommand } from '../../command-line/actions.ts'
import { type Listing, listingOf } from '../../command-line/listing.ts'
import { unknownName } from '../../command-line/named.ts'
import { ACTOR, withTableOptions } from '../../command-line/over-table.ts'

export function declare(command: Command): void {
  const webhooks = withTableOptions(command)
    .description('Endpoints receive events as signed webhooks. docs/webhooks.md lists the events.')
    .addOption(ACTOR)
  actCommand(webhooks, 'add', addWebhook, ['url'])
  actCommand(webhooks, 'test', testWebhook, ['id'])
  actCommand(webhooks, 'resend', resendWebhook, ['id', 'message'])
  actCommand(webhooks, 'disable', disableWebhook, ['id'])
  actCommand(webhooks, 'enable', enableWebhook, ['id'])
  actCommand(webhooks, 'rotate', rotateWebhook, ['id'])
  actCommand(webhooks, 'remove', removeWebhook, ['id'])
  listCommand(webhooks, 'list', 'list the endpoints without their secrets', listWebhooks)
  listCommand(
    webhooks,
    'deliveries <id>',
    'list what was sent to an endpoint, the newest first',
    listWebhookDeliveries,
  )
}

const stateOf = ({ disabled, failing_since, challenge }: Endpoint): string => {
  if (disabled) return `disabled: ${disabled.why}`
  if (challenge !== undefined) return 'waits for the echo of its challenge'
  return failing_since === undefined ? 'enabled' : 'failing'
}

export const listWebhooks = async (store: Store): Promise<Listing> =>
  listingOf(store, 'endpoint', await listAllEndpoints(store), {
    id: 'text',
    owner: ['text', ({ owner }) => String(owner)],
    url: 'text',
    events: ['text', ({ events }) => events.join(',')],
    added: ['time', ({ added_at }) => added_at],
    state: ['text', stateOf],
  })

const MOST_LISTED = 100

export async function listWebhookDeliveries(store: Store, id: string): Promise<Listing> {
  const endpoint = await webhookNamed(store, id)
  return listingOf(store, 'event', await listDeliveries(store, endpoint.id, MOST_LISTED), {
    message: ['text', (one) => one.id],
    type: 'text',
    tried: ['time', ({ tried_at }) => tried_at],
    tries: ['text', ({ tries }) => String(tries)],
    answer: 'text',
    outcome: 'text',
  })
}

async function webhookNamed(store: Store, id: string): Promise<Endpoint> {
  const all = await listAllEndpoints(store)
  const found = all.find((one) => one.id === id)
  if (found) return found
  const ids = all.map((one) => one.id)
  throw unknownName('webhook', id, ids, 'npx tollgate webhooks list shows all of them')
}
