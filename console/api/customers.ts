import type { Ask } from './ask.ts'
import { findAll, textIn, type XmlNode } from './xml.ts'

/** An account that can be named by its id. */
export interface NamedCustomer {
  readonly id: string
  readonly name: string
}

/** The age of invoices whose customers are suggested: 90 days. */
const RECENT_SECONDS = 90 * 86_400

const nothing = (): undefined => undefined

/**
 * The customers that the API tells of: no method lists them, but subscriptions name them and invoices have their ids. An
 * account that may not ask for one of the two has fewer suggestions, and that is all.
 */
export async function listCustomers(ask: Ask): Promise<readonly NamedCustomer[]> {
  const [subscriptions, invoices] = await Promise.all([
    ask('subscriptions_get').catch(nothing),
    ask('invoices_get', { from: String(Math.floor(Date.now() / 1000) - RECENT_SECONDS) }).catch(nothing),
  ])
  const customers = new Map<string, string>()
  for (const invoice of elementsOf(invoices, 'Invoice')) {
    const { user_id = '', clientid = '' } = Object.fromEntries(invoice.attributes)
    customers.set(user_id, clientid)
  }
  for (const subscription of elementsOf(subscriptions, 'subscription'))
    customers.set(textIn(subscription, 'user_id'), textIn(subscription, 'user'))
  return [...customers]
    .map(([id, name]) => ({ id, name }))
    .filter(({ id }) => id !== '')
    .sort((one, other) => one.name.localeCompare(other.name))
}

const elementsOf = (answer: XmlNode | undefined, name: string): XmlNode[] =>
  answer ? findAll(answer, name) : []

/** The name of a customer, or its id where the API does not tell the name. */
export const nameOfCustomer = (customers: readonly NamedCustomer[], id: string): string =>
  customers.find((customer) => customer.id === id)?.name || `Customer ${id}`
