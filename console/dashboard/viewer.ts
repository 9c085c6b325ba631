import type { Ask } from '../api/ask.ts'
import { find, type XmlNode } from '../api/xml.ts'
import type { MoneyOf } from './call-reader.ts'

/** The permissions of the account, asked for once. */
export interface Viewer {
  /** The answer of quickstats_get; `undefined` for accounts that it is not for. */
  readonly stats: XmlNode | undefined
  readonly moneyOf: MoneyOf
  /** The default currency of the installation, in which quickstats_get and user_calls_get tell amounts. */
  readonly currency: string
}

/** The refusals of accounts of another type. */
const NOT_FOR_THEM = 'Access Denied'

/** An answer, or `undefined` if the method is not for accounts of this type. */
const unlessDenied = (answer: Promise<XmlNode>): Promise<XmlNode | undefined> =>
  answer.catch((error: Error) => {
    if (error.message === NOT_FOR_THEM) return undefined
    throw error
  })

export async function viewerOf(ask: Ask): Promise<Viewer> {
  const [stats, statements] = await Promise.all([
    unlessDenied(ask('quickstats_get')),
    ask('financial_statements_get'),
  ])
  const statement = find(statements, 'financial_statement')
  return {
    stats,
    moneyOf: stats && find(stats, 'revenue') ? await moneySeenBy(ask) : 'none',
    currency: Object.fromEntries(statement?.attributes ?? [])['currency'] ?? '',
  }
}

/** Only admins, of all accounts that see money, may ask for the queue log. They get entries, or the answer that there are none. */
async function moneySeenBy(ask: Ask): Promise<MoneyOf> {
  const refusal = await ask('queue_log_get', { from: '1', till: '1' }).then(
    () => '',
    (error: Error) => error.message,
  )
  return refusal === NOT_FOR_THEM ? 'owner' : 'admin'
}
