import type { Command } from '@commander-js/extra-typings'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { ApiError } from '#lib/api/errors.ts'
import { HEADERS_OF_EVERY_ANSWER } from '#lib/api/headers.ts'
import { portOption } from '../../command-line/arguments.ts'
import { printLine } from '../../machine/terminal.ts'
import { consoleRoutes } from '../../server/console-routes.ts'
import { type Gateway, startGateway } from '../../server/gateway.ts'
import { baseUrl } from '../call/method-call.ts'

export const declare = (command: Command) =>
  command
    .description(
      'It serves the page on this machine and forwards its calls to the API, such as that of a stage without a console. The page \
signs in the browser: the key is neither sent nor kept.',
    )
    .requiredOption('--url <URL>', 'the address of the API, with or without https:// and /api')
    .addOption(portOption('the port of the page', 3100))
    .action(async ({ url, port }) => {
      const base = baseUrl(url)
      const console = await serveRemoteConsole(port, base)
      printLine(`Console of ${base}: ${console.url}/. Ctrl-C stops it.`)
      await new Promise((end) => {
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
      })
      await console.stop()
    })

/**
 * Serves the console on this machine, and forwards its calls to the API at `base`. The page signs in the
 * browser: neither the key nor anything else is kept here, and the API needs no CORS headers.
 */
export const serveRemoteConsole = (port: number, base: string): Promise<Gateway> => {
  const routes = [
    ...consoleRoutes(),
    { path: '/api/{method+}', handler: (event: APIGatewayProxyEvent) => forward(event, base) },
  ]
  return startGateway({ port }, () => routes)
}

const FORWARDED_HEADERS = ['content-type', 'accept']

async function forward(event: APIGatewayProxyEvent, base: string): Promise<APIGatewayProxyResult> {
  const answer = await fetch(urlOf(event, base), requestOf(event)).catch(() => {
    throw new ApiError(`Nothing answers at ${base}`, 'gate', 502)
  })
  return {
    statusCode: answer.status,
    headers: {
      ...HEADERS_OF_EVERY_ANSWER,
      'Content-Type': answer.headers.get('content-type') ?? 'text/plain',
    },
    body: Buffer.from(await answer.arrayBuffer()).toString('base64'),
    isBase64Encoded: true,
  }
}

function urlOf({ path, multiValueQueryStringParameters: query }: APIGatewayProxyEvent, base: string): URL {
  const url = new URL(`${base}${path}`)
  for (const [name, values = []] of Object.entries(query ?? {}))
    for (const value of values) url.searchParams.append(name, value)
  return url
}

function requestOf({ httpMethod, headers, body, isBase64Encoded }: APIGatewayProxyEvent): RequestInit {
  const forwarded = Object.entries(headers).filter(([name]) => FORWARDED_HEADERS.includes(name.toLowerCase()))
  return {
    method: httpMethod,
    headers: Object.fromEntries(forwarded) as Record<string, string>,
    body: body === null ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    redirect: 'manual',
  }
}
