import type { Ask } from '../api/ask.ts'
import { find } from '../api/xml.ts'

/** The default currency of the installation, in which quickstats_get and user_calls_get tell amounts. */
export async function currencyOf(ask: Ask): Promise<string> {
  const statement = find(await ask('financial_statements_get'), 'financial_statement')
  return Object.fromEntries(statement?.attributes ?? [])['currency'] ?? ''
}
