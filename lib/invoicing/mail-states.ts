/**
 * A mail that was on its way when its process ended is `in_doubt`: the server may have taken it. One that
 * came back after a server had taken it is `bounced`.
 */
export const MAIL_STATES = ['waiting', 'sending', 'sent', 'refused', 'bounced', 'in_doubt'] as const

export type MailState = (typeof MAIL_STATES)[number]
