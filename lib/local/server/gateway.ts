import '#lib/local/quiet-sdk.ts'
import ServerlessOffline from 'serverless-offline'
import { type FunctionConfigs, LONGEST_ANSWER } from '#lib/local/contracts/functions-config.ts'
import { serveConsole } from './console-routes.ts'
import { answerXmlEverywhere, complainWhere } from './xml-everywhere.ts'

/** The API of the stack on a local port. */
export interface Gateway {
  readonly url: string
  stop(): Promise<void>
}

export interface GatewayOptions {
  readonly port: number
  readonly functions: FunctionConfigs
  /** Where the functions were built to. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** A worker thread for each function, as serverless-offline does by default; only for comparing. */
  readonly workers?: boolean
  /** Why the functions are not those of the source, in words: then they answer this instead. */
  readonly complaint?: () => string | undefined
}

/**
 * Serverless-offline with the functions that serverless.yml deploys, all of them in this process, where they share
 * one copy of everything they import.
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  process.env['AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA'] = '1'
  const offline = new ServerlessOffline(serviceOf(options), optionsFor(options), {})
  await quietly(() => offline.start())
  const server = offline.internals().getApiGatewayServer()
  answerXmlEverywhere(server)
  if (options.complaint) complainWhere(server, options.complaint)
  serveConsole(server)
  return { url: `http://localhost:${options.port}`, stop: () => offline.end(true) }
}

/** What serverless-offline asks of the `serverless` that usually loads it. */
function serviceOf({ functions, folder, environment }: GatewayOptions) {
  return {
    config: { servicePath: folder, serverlessPath: folder },
    serviceDir: folder,
    service: {
      service: 'tollgate',
      provider: {
        name: 'aws',
        stage: 'local',
        region: 'local',
        runtime: 'nodejs24.x',
        timeout: LONGEST_ANSWER,
        environment,
      },
      getAllFunctions: () => Object.keys(functions),
      getFunction: (name: string) => ({ name, ...functions[name] }),
      getAllEventsInFunction: (name: string) => functions[name]?.events,
    },
  }
}

const optionsFor = ({ port, workers = false }: GatewayOptions) => ({
  httpPort: port,
  /** Any free one: nobody invokes the functions past the gateway. */
  lambdaPort: 0,
  useInProcess: !workers,
  noPrependStageInUrl: true,
  disableCookieValidation: true,
  noTimeout: true,
  noSponsor: true,
})

/** It prints every route in a box; the methods are in docs/api.md. */
async function quietly(work: () => Promise<void>): Promise<void> {
  const { log } = console
  Object.assign(console, { log: () => {} })
  await work().finally(() => Object.assign(console, { log }))
}
