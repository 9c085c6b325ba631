import { stripeEndpoint } from '#lib/ingest/http/stripe-endpoint.ts'

/** Books what customers pay by card. */
export const handler = stripeEndpoint()
