import { type Content, type Element, element, type Markup } from './element.ts'

const page = (...content: Content[]): Element => element('page', ...content)
const status = (...content: Content[]): Element => element('status', ...content)
const error = (message: string): Element => element('error', message)

const onPage = (message: string): Element => page(error(message))

/** A sentence about an error, next to it. */
const because = (reason?: string): Element | undefined =>
  reason === undefined ? undefined : element('message', reason)

const onPageWithReason = (message: string, reason?: string): Element => page(error(message), because(reason))

/** The shape of refusals by the gates and by everything below the methods (wire.md 4.1). */
export const refusalBelowMethods = (message: string, reason?: string): Element =>
  page(status(error(message), because(reason)))

/** The shape of an answer, of an error of the method, and of a refusal below the method. */
interface Envelope {
  success(content: Content): Element | Markup
  failure(message: string, reason?: string): Element | Markup
  refusal(message: string, reason?: string): Element
}

/** The shapes of answers, by the name that a contract gives (wire.md 4.2). */
export const envelopes = {
  page: { success: page, failure: onPage, refusal: refusalBelowMethods },
  status: { success: page, failure: refusalBelowMethods, refusal: refusalBelowMethods },
  nestedStatus: {
    success: page,
    failure: (message) => page(status(status(error(message)))),
    refusal: refusalBelowMethods,
  },
  /** For invoices_get, whose success has a root of its own (wire.md 4.1). */
  ownRoot: { success: ownRoot, failure: onPage, refusal: refusalBelowMethods },
  /** For user_login, whose failure is an <action> like its success (wire.md user_login). */
  login: {
    success: page,
    failure: (message) => page(action('login', 'failed', element('status_message', message))),
    refusal: refusalBelowMethods,
  },
  /** For the methods of portals (wire.md 4.1). */
  rootStatus: { success: page, failure: onPageWithReason, refusal: rootStatus },
  /** For the balances that phones show as they come (wire.md user_simple_balance_get). */
  plain: {
    success: (content) => ({ markup: String(content) }),
    failure: (message) => ({ markup: message }),
    refusal: rootStatus,
  },
  /** For user_logout, whose <action> root also holds the message of a failure (wire.md user_logout). */
  logout: { success: ownRoot, failure: (message) => action('logout', message), refusal: rootStatus },
} as const satisfies Readonly<Record<string, Envelope>>

export type EnvelopeName = keyof typeof envelopes

function ownRoot(content: Content): Element {
  if (typeof content === 'object' && 'tag' in content) return content
  throw new TypeError('Content that is not an element cannot be a root')
}

function rootStatus(message: string, reason?: string): Element {
  return status(error(message), because(reason))
}

const action = (name: string, outcome: string, ...content: Content[]): Element =>
  element('action', element('name', name), element('status', outcome), ...content)
