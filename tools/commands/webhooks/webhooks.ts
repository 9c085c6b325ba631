import type { Command } from '@commander-js/extra-typings'
import { listFormat, printListing } from '../../command-line/listing.ts'
import { ACTOR, printChange, withTableOptions } from '../../command-line/over-table.ts'
import {
  addWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  sendAgain,
  switchWebhook,
  testWebhook,
} from './webhook-tool.ts'

/** The actions on one endpoint. */
const ACTIONS = {
  test: ['send a test event', testWebhook],
  disable: ['send nothing more to an endpoint', switchWebhook('disabled')],
  enable: ['switch an endpoint on again', switchWebhook('enabled')],
  rotate: ['give an endpoint a new secret; both sign for a day', rotateWebhook],
  remove: ['remove an endpoint', removeWebhook],
} as const

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
    .action((url, options) =>
      printChange(webhooks.opts(), (store, act) => addWebhook(store, { url, ...options }, act)),
    )
  webhooks
    .command('list')
    .description('list the endpoints without their secrets')
    .addOption(listFormat())
    .action(({ format }) => printListing(webhooks.opts(), format, listWebhooks))
  webhooks
    .command('deliveries <id>')
    .description('list what was sent to an endpoint, the newest first')
    .addOption(listFormat())
    .action((id, { format }) =>
      printListing(webhooks.opts(), format, (store) => listWebhookDeliveries(store, id)),
    )
  for (const [name, [words, run]] of Object.entries(ACTIONS))
    webhooks
      .command(name)
      .argument('<id>', 'the id of the endpoint')
      .description(words)
      .action((id) => printChange(webhooks.opts(), (store, act) => run(store, id, act)))
  webhooks
    .command('resend')
    .argument('<id>', 'the id of the endpoint')
    .argument('<message>', 'the id of the event, as deliveries lists it')
    .description('send an event again')
    .action((id, message) =>
      printChange(webhooks.opts(), (store, act) => sendAgain(store, { id, message }, act)),
    )
}
