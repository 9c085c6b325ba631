import { ofType, type Template } from './template.ts'

export interface TemplateRoute {
  readonly path: string
  readonly verb: string
  /** The function's name, without service and stage. */
  readonly function: string
  readonly streams: boolean
  readonly milliseconds: number | undefined
  /** The role that API Gateway invokes the function with. */
  readonly credentials: unknown
}

interface Integration {
  readonly uri: { readonly 'Fn::Join': readonly [string, readonly unknown[]] }
  readonly credentials: object
  readonly responseTransferMode?: string
  readonly timeoutInMillis?: number
}

interface Definition {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-amazon-apigateway-integration': Integration }>>>
  >
}

/** Every route of the API in the template. */
export const routes = (template: Template, prefix: string): TemplateRoute[] =>
  ofType(template, 'AWS::ApiGateway::RestApi').flatMap(([, { Body }]) =>
    Object.entries((Body as Definition).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([verb, { 'x-amazon-apigateway-integration': integration }]) => {
        const { uri, responseTransferMode, timeoutInMillis, credentials } = integration
        return {
          path,
          verb: verb === 'x-amazon-apigateway-any-method' ? 'ANY' : verb.toUpperCase(),
          function: functionName(template, logicalNameIn(uri['Fn::Join'][1])).slice(prefix.length),
          streams: responseTransferMode === 'STREAM' && JSON.stringify(uri).includes('response-streaming'),
          milliseconds: timeoutInMillis,
          credentials,
        }
      }),
    ),
  )

const logicalNameIn = (parts: readonly unknown[]): string =>
  parts.flatMap((part) =>
    typeof part === 'object' && part !== null && 'Fn::GetAtt' in part
      ? [(part as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]
      : [],
  )[0] ?? '?'

const functionName = ({ Resources }: Template, logicalName: string): string =>
  String(Resources[logicalName]?.Properties?.['FunctionName'])
