import type { Command } from '@commander-js/extra-typings'
import { listDeliveries } from '#lib/alerts/delivery.ts'
import {
  addEndpoint,
  changeByHand,
  type Endpoint,
  endpointUrlRefusal,
  listAllEndpoints,
} from '#lib/alerts/endpoint.ts'
import { EVENT_TYPES, isEventType } from '#lib/alerts/event-types.ts'
import { isMailUrl } from '#lib/alerts/mail.ts'
import { againOf, sendByHand, testOf } from '#lib/alerts/single-event.ts'
import { ownsCustomers } from '#lib/base/account-types.ts'
import { namesIn } from '#lib/base/collections.ts'
import { ADMIN_ACCOUNT } from '#lib/base/scope.ts'
import { settingsOf } from '#lib/settings/stored-settings.ts'
import type { Store } from '#lib/table/store.ts'
import { changeAction, listAction } from '../../command-line/actions.ts'
import { type Listing, listFormat, listingOf } from '../../command-line/listing.ts'
import { findAccountNamed, unknownName } from '../../command-line/named.ts'
import { ACTOR, openLog, type TerminalAct, withTableOptions } from '../../command-line/over-table.ts'
import { CommandError, UsageError } from '../../machine/terminal.ts'

export function declare(command: Command): void {
  const webhooks = withTableOptions(command)
    .description('Endpoints are told what happens, by signed webhooks. docs/webhooks.md lists the events.')
    .addOption(ACTOR)
  webhooks
    .command('add')
    .argument('<url>', 'where events are posted to: https, port 443')
    .description('add an endpoint and print its secret once')
    .requiredOption('--events <LIST>', 'types of events with commas between them, or all')
    .option('--owner <ACCOUNT>', 'the reseller or partner of whose customers it hears (default: admins)')
    .action(changeAction((store, act, url, options) => addWebhook(store, { url, ...options }, act)))
  webhooks
    .command('list')
    .description('list the endpoints without their secrets')
    .addOption(listFormat())
    .action(listAction(listWebhooks))
  webhooks
    .command('deliveries <id>')
    .description('list what was sent to an endpoint, the newest first')
    .addOption(listFormat())
    .action(listAction((store, id) => listWebhookDeliveries(store, id)))
  for (const [name, [words, run]] of Object.entries(ACTIONS))
    webhooks
      .command(name)
      .argument('<id>', 'the id of the endpoint')
      .description(words)
      .action(changeAction((store, act, id) => run(store, id, act)))
  webhooks
    .command('resend')
    .argument('<id>', 'the id of the endpoint')
    .argument('<message>', 'the id of the event, as deliveries lists it')
    .description('send an event again')
    .action(changeAction((store, act, id, message) => sendAgain(store, { id, message }, act)))
}

interface WebhookOptions {
  readonly url: string
  /** Types with commas between them, or `all`. */
  readonly events: string
  readonly owner?: string | undefined
}

/** Adds an endpoint. Returns the lines to print, with the secret. */
export async function addWebhook(store: Store, wanted: WebhookOptions, act: TerminalAct): Promise<string[]> {
  const isMail = isMailUrl(wanted.url)
  const owner = await ownerNamed(store, wanted.owner)
  const refusal = endpointUrlRefusal(wanted.url, owner, await settingsOf(store))
  if (refusal !== undefined) throw new UsageError(`the URL "${wanted.url}" ${refusal}`)
  const events = eventsIn(wanted.events)
  const logged = await openLog(store, act)
  const added = await addEndpoint(store, { owner, url: wanted.url, events }, act.now, logged)
  if (typeof added === 'string') throw new CommandError(added)
  if (isMail) return [added.id]
  return [`${added.id} ${added.secret}`, 'Copy the secret now: it is not shown again.']
}

function eventsIn(list: string) {
  const all = namesIn(EVENT_TYPES)
  const names = list === 'all' ? all : list.split(',').map((name) => name.trim())
  return [...new Set(names)].map((name) => {
    if (isEventType(name)) return name
    throw new UsageError(`there is no event "${name}": use some of ${all.join(', ')}, or all`)
  })
}

async function ownerNamed(store: Store, word: string | undefined): Promise<number> {
  if (word === undefined) return ADMIN_ACCOUNT
  const account = await findAccountNamed(store, word)
  if (!ownsCustomers(account))
    throw new CommandError(`${account.username} is neither a reseller nor a partner`)
  return account.usertype === 'admin' ? ADMIN_ACCOUNT : account.id
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

/** Sends a test event, also to an endpoint that is disabled. */
export async function testWebhook(store: Store, id: string, act: TerminalAct): Promise<string> {
  const endpoint = await webhookNamed(store, id)
  refuseMany(await sendByHand(store, endpoint, testOf(endpoint, act.now), act))
  return `A test event for ${id} waits: npx tollgate webhooks deliveries ${id} shows the answer`
}

export async function sendAgain(
  store: Store,
  { id, message }: { readonly id: string; readonly message: string },
  act: TerminalAct,
): Promise<string> {
  const endpoint = await webhookNamed(store, id)
  const sent = (await listDeliveries(store, endpoint.id, MOST_LISTED)).find((one) => one.id === message)
  if (!sent)
    throw new CommandError(`Nothing was sent to ${id} as ${message} within the last ${MOST_LISTED} events`)
  refuseMany(await sendByHand(store, endpoint, againOf(sent), act))
  return `${message} waits to be sent to ${id} again`
}

function refuseMany(refusal: string | undefined): void {
  if (refusal !== undefined) throw new CommandError(refusal)
}

async function changeNamed(
  store: Store,
  id: string,
  what: Parameters<typeof changeByHand>[2],
  act: TerminalAct,
) {
  const endpoint = await webhookNamed(store, id)
  return changeByHand(store, endpoint, what, { now: act.now, logged: await openLog(store, act) })
}

export const switchWebhook =
  (state: 'disabled' | 'enabled') =>
  async (store: Store, id: string, act: TerminalAct): Promise<string> => {
    await changeNamed(store, id, state === 'enabled' ? 'enable' : 'disable', act)
    return `${id} is ${state}`
  }

export async function rotateWebhook(store: Store, id: string, act: TerminalAct): Promise<string[]> {
  const after = await changeNamed(store, id, 'rotate', act)
  return [
    `${id} ${after?.secret}`,
    'Copy the secret now: it is not shown again. The earlier one signs, too, for a day.',
  ]
}

export async function removeWebhook(store: Store, id: string, act: TerminalAct): Promise<string> {
  await changeNamed(store, id, 'remove', act)
  return `Removed ${id}`
}

/** The actions on one endpoint. */
const ACTIONS = {
  test: ['send a test event', testWebhook],
  disable: ['send nothing more to an endpoint', switchWebhook('disabled')],
  enable: ['switch an endpoint on again', switchWebhook('enabled')],
  rotate: ['give an endpoint a new secret; both sign for a day', rotateWebhook],
  remove: ['remove an endpoint', removeWebhook],
} as const
