declare module 'serverless-offline' {
  import type { Server } from 'node:http'

  /** The part of hapi that lib/local/server/gateway.ts uses. */
  export interface HapiRequest {
    readonly headers: Record<string, string | undefined>
    readonly path: string
    mime: string | null
    readonly route: { readonly path: string }
    readonly raw: { readonly req: { readonly rawHeaders: string[] } }
    readonly response:
      | { readonly isBoom: true; readonly output: { readonly statusCode: number } }
      | { readonly isBoom?: false; readonly statusCode: number; readonly headers: Record<string, unknown> }
  }

  export interface HapiToolkit {
    readonly continue: symbol
    response(body: string): HapiResponse
  }

  export interface HapiResponse {
    code(status: number): HapiResponse
    header(name: string, value: string): HapiResponse
    takeover(): HapiResponse
  }

  export interface HapiServer {
    readonly listener: Server
    route(route: {
      readonly method: 'GET'
      readonly path: string
      readonly handler: (request: HapiRequest, h: HapiToolkit) => unknown
    }): void
    ext(
      event: 'onRequest' | 'onPreHandler' | 'onPreResponse',
      extension: (request: HapiRequest, h: HapiToolkit) => unknown,
    ): void
  }

  // biome-ignore lint/style/noDefaultExport: it is theirs
  export default class ServerlessOffline {
    constructor(serverless: unknown, options: unknown, utils: unknown)
    start(): Promise<void>
    end(skipExit: boolean): Promise<void>
    internals(): { getApiGatewayServer(): HapiServer }
  }
}
