import { logicalNamesIn } from './dangling-names.ts'
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
  readonly uri: object
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
          function: functionName(template, logicalNamesIn(uri)[0] ?? '?').slice(prefix.length),
          streams: responseTransferMode === 'STREAM' && JSON.stringify(uri).includes('response-streaming'),
          milliseconds: timeoutInMillis,
          credentials,
        }
      }),
    ),
  )

const functionName = ({ Resources }: Template, logicalName: string): string =>
  String(Resources[logicalName]?.Properties?.['FunctionName'])
