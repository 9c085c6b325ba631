import { fromEnv } from '@aws-sdk/credential-provider-env'

/**
 * A Lambda's credentials are in its environment. The SDK's chain looks in other places and would be a third
 * of a bundle.
 */
export const defaultProvider = fromEnv
