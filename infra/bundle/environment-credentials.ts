import { fromEnv } from '@aws-sdk/credential-provider-env'

/**
 * A Lambda's credentials are in its environment; the SDK's chain brings a third of a bundle for places it does not
 * have.
 */
export const defaultProvider = fromEnv
