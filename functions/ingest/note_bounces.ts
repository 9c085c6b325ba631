import { noteSesEvent } from '#lib/invoicing/mails/bounces.ts'
import { invocation } from '#lib/table/invocation.ts'
import { lambdaTableServices } from '#lib/table/store.ts'

const services = lambdaTableServices()

/** Notes which mails of documents came back, by an event of SES. */
export const handler = ({ detail }: { readonly detail?: unknown }) =>
  invocation(services, 'note_bounces', async ({ store, startedAt }) => ({
    documents: await noteSesEvent(store, detail, startedAt),
  }))
