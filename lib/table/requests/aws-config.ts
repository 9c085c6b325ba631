/** Without a byte for so long, a connection ends. It may have died while the Lambda was frozen. */
export const MAX_SILENCE_MS = 3000

/** AWS's clients repeat requests that are throttled or lost. */
export const attempts = {
  retryMode: 'standard',
  maxAttempts: 3,
  requestHandler: { socketTimeout: MAX_SILENCE_MS },
} as const
/** Settings that AWS's clients otherwise seek in files, which no Lambda has. Defaults, but for the region. */
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
 * A function's config for AWS's clients. Outside of a Lambda they also read the user's files. Without an
 * endpoint in the environment, they would look for one in files while the first request waits.
 */
export const functionConfig = (environment: NodeJS.ProcessEnv) =>
  isLambda(environment)
    ? {
        ...withoutFiles(environment['AWS_REGION'] ?? ''),
        ignoreConfiguredEndpointUrls: !namesEndpoint(environment),
      }
    : {}

/**
 * Where S3 is, if S3_ENDPOINT names another store with its protocol. AWS has the name of the bucket in the
 * host, other stores have it in the path.
 */
export const otherStore = ({ S3_ENDPOINT: endpoint }: NodeJS.ProcessEnv) =>
  endpoint ? { endpoint, forcePathStyle: true } : {}

const namesEndpoint = (environment: NodeJS.ProcessEnv): boolean =>
  Object.keys(environment).some((name) => name.startsWith('AWS_ENDPOINT_URL'))
