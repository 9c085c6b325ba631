import { postWebhook } from '#lib/alerts/post.ts'
import { mailSender } from '#lib/alerts/send-mail.ts'
import { webhookSender } from '#lib/alerts/sender.ts'
import { webhookQueue } from '#lib/alerts/webhook-queue.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const { hide } = webhookQueue(process.env)

export const handler = webhookSender({
  ...lambdaTableServices(),
  post: postWebhook,
  mail: mailSender(process.env),
  hide,
  isLocal: false,
})
