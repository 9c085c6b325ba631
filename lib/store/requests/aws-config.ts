/** In milliseconds, without a byte. A connection that died unnoticed, while a Lambda was frozen, ends here. */
const LONGEST_SILENCE = 3000

/** How AWS's clients try: what is throttled, or lost on the way, up to three times. */
export const attempts = {
  retryMode: 'standard',
  maxAttempts: 3,
  requestHandler: { socketTimeout: LONGEST_SILENCE },
} as const

/** How they try for a command of an operator: nobody waits for its answer, and starting over costs more than waiting. */
export const patiently = {
  ...attempts,
  maxAttempts: 5,
  requestHandler: { socketTimeout: 10 * LONGEST_SILENCE },
} as const

/** What AWS's clients would else look for in files, which only the machine of somebody has. */
export const withoutFiles = (region: string) => ({
  region,
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
  endpointDiscoveryEnabled: false,
})

export const isLambda = (environment: NodeJS.ProcessEnv): boolean =>
  Boolean(environment['AWS_LAMBDA_FUNCTION_NAME']) && !environment['IS_OFFLINE']

/** What a function gives AWS's clients. Run by a tool on somebody's machine, it is a program like any other there. */
export const functionConfig = (environment: NodeJS.ProcessEnv) =>
  isLambda(environment) ? withoutFiles(environment['AWS_REGION'] ?? '') : {}
