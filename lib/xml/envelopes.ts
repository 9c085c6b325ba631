import { type Content, type Element, element } from './element.ts'

interface Envelope {
  readonly success: (content: Content) => Element
  readonly failure: (message: string) => Element
}

const page = (...content: Content[]): Element => element('page', ...content)
const status = (...content: Content[]): Element => element('status', ...content)
const error = (message: string): Element => element('error', message)

/** The shapes of an answer, by the name a contract gives (wire.md 4.2). */
export const envelopes = {
  page: { success: page, failure: (message) => page(error(message)) },
  status: { success: page, failure: (message) => page(status(error(message))) },
  nestedStatus: { success: page, failure: (message) => page(status(status(error(message)))) },
  /** Only invoices_get has it: its success has a root of its own (wire.md 4.1). */
  ownRoot: { success: ownRoot, failure: (message) => page(error(message)) },
  /** Only user_login has it: its failure is an <action> like its success (wire.md user_login). */
  login: { success: page, failure: (message) => page(failedLogin(message)) },
} as const satisfies Record<string, Envelope>

/** The content is the document. */
function ownRoot(content: Content): Element {
  if (typeof content === 'object' && 'tag' in content) return content
  throw new TypeError('Content that is not an element cannot be a root')
}

export type EnvelopeName = keyof typeof envelopes

/** The shape of gate refusals and of everything below the methods (wire.md 4.1). */
export const refusalBelowMethods = envelopes.status.failure

const failedLogin = (message: string): Element =>
  element('action', element('name', 'login'), element('status', 'failed'), element('status_message', message))
