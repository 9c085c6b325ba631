/**
 * The types of events that endpoints subscribe to. Each has a letter in the item of the settings, which every
 * request reads, and never changes. A partner's or reseller's endpoint gets its customers' events, only an
 * admin's the installation's.
 */
export const EVENT_TYPES = {
  'balance.low': {
    letter: 'l',
    title: 'Low balance',
    says: 'The remaining credit of an account fell below one of its thresholds.',
  },
  'balance.exhausted': {
    letter: 'x',
    title: 'Credit exhausted',
    says: 'An account with thresholds has no credit left.',
  },
  'spend.daily_limit': {
    letter: 'd',
    title: 'Daily limit exceeded',
    says: 'The calls of an account cost more today than its daily limit.',
  },
  'payment.recorded': {
    letter: 'p',
    title: 'Payment',
    says: 'A payment was recorded, confirmed or taken back.',
  },
  'invoice.issued': { letter: 'i', title: 'Invoice issued', says: 'An invoice was issued.' },
  'credit_note.issued': { letter: 'c', title: 'Credit note issued', says: 'A credit note was issued.' },
  'call.ended': { letter: 'e', title: 'Call ended', says: 'A call of the last day was stored.' },
  'call.refused': {
    letter: 'r',
    title: 'Call refused',
    says: 'A call was not authorised; at most one a minute for an account.',
  },
  'hold.expired': {
    letter: 'h',
    title: 'Reservation without a CDR',
    says: 'A reservation ended without a CDR.',
  },
  'fraud.suspected': {
    letter: 'f',
    title: 'Fraud suspected',
    says: 'A customer called a country far more than usual in an hour, or for the first time at a high rate.',
  },
  'suspense.grown': {
    letter: 's',
    title: 'CDRs suspended',
    says: 'CDRs were suspended; at most one an hour, for admins only.',
  },
} as const

export type EventType = keyof typeof EVENT_TYPES

export const isEventType = (name: string): name is EventType => Object.hasOwn(EVENT_TYPES, name)

/** The event of a test. It cannot be subscribed to. */
export const TEST_EVENT = 'webhook.test'

/** Asks a new endpoint of a reseller or partner for its consent. It cannot be subscribed to either. */
export const CHALLENGE_EVENT = 'webhook.challenge'

export const lettersOf = (types: Iterable<EventType>): string =>
  [...new Set(types)].map((type) => EVENT_TYPES[type].letter).join('')
