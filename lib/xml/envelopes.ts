import { type Content, type Element, element } from './element.ts'

const page = (...content: Content[]): Element => element('page', ...content)
const status = (...content: Content[]): Element => element('status', ...content)
const error = (message: string): Element => element('error', message)

/** The shapes of answers, by the name that a contract gives (wire.md 4.2). */
export const envelopes = {
  page: { success: page, failure: (message: string) => page(error(message)) },
  status: { success: page, failure: (message: string) => page(status(error(message))) },
  nestedStatus: { success: page, failure: (message: string) => page(status(status(error(message)))) },
  /** For invoices_get, whose success has a root of its own (wire.md 4.1). */
  ownRoot: { success: ownRoot, failure: (message: string) => page(error(message)) },
  /** For user_login, whose failure is an <action> like its success (wire.md user_login). */
  login: { success: page, failure: (message: string) => page(failedLogin(message)) },
} as const

/** The content is the root of the document. */
function ownRoot(content: Content): Element {
  if (typeof content === 'object' && 'tag' in content) return content
  throw new TypeError('Content that is not an element cannot be a root')
}

export type EnvelopeName = keyof typeof envelopes

/** The shape of refusals by the gates and by everything below the methods (wire.md 4.1). */
export const refusalBelowMethods = envelopes.status.failure

const failedLogin = (message: string): Element =>
  element('action', element('name', 'login'), element('status', 'failed'), element('status_message', message))
