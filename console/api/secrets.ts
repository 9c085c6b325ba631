import type { SentValues } from './catalogue.ts'

/** Parameters kept out of links and history. An empty order's hash is that of the key alone. */
const SECRETS = new Set(['hash', 'p', 'password', 'pin'])

export const withoutSecrets = (values: SentValues): SentValues =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== '' && !SECRETS.has(name)))

export const isSecret = (name: string): boolean => SECRETS.has(name)
