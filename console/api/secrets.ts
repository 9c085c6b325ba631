import type { SentValues } from './catalogue.ts'

/** Parameters that neither a link nor the history holds. The hash of an empty order is the hash of the key alone. */
const SECRETS = new Set(['hash', 'p', 'password', 'pin'])

export const withoutSecrets = (values: SentValues): SentValues =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== '' && !SECRETS.has(name)))

export const isSecret = (name: string): boolean => SECRETS.has(name)
