/** Without a byte for so long, a connection ends. It may have died while the Lambda was frozen. */
export const MAX_SILENCE_MS = 3000

/** AWS's clients repeat requests that are throttled or lost. */
export const attempts = {
  retryMode: 'standard',
  maxAttempts: 3,
  requestHandler: { socketTimeout: MAX_SILENCE_MS },
} as const
/** Settings that AWS's clients would otherwise look for in files. A Lambda has no such files. All but the region are defaults. */
export const withoutFiles = (region: string) => ({
  region,
  accountIdEndpointMode: 'preferred' as const,
  authSchemePreference: [],
  disableClockSkewCorrection: false,
  endpointDiscoveryEnabled: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  userAgentAppId: '',
})

export const isLambda = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment['AWS_LAMBDA_FUNCTION_NAME']) && !environment['IS_OFFLINE']

/**
 * The config that a function gives AWS's clients. Outside of a Lambda they also read the user's files. An endpoint in the
 * environment holds; without one, the clients would look for it in files while the first request waits.
 */
export const functionConfig = (environment: NodeJS.ProcessEnv) =>
  isLambda(environment)
    ? {
        ...withoutFiles(environment['AWS_REGION'] ?? ''),
        ignoreConfiguredEndpointUrls: !namesEndpoint(environment),
      }
    : {}

const namesEndpoint = (environment: NodeJS.ProcessEnv): boolean =>
  Object.keys(environment).some((name) => name.startsWith('AWS_ENDPOINT_URL'))
