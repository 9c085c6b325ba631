import { ofType, type Template } from './template.ts'

export interface TemplateRoute {
  readonly path: string
  readonly verb: string
  /** The function's name, without service and stage. */
  readonly function: string
  readonly streams: boolean
  readonly milliseconds: number | undefined
}

interface Integration {
  readonly Uri: { readonly 'Fn::Join': readonly [string, readonly unknown[]] }
  readonly ResponseTransferMode?: string
  readonly TimeoutInMillis?: number
}

/** Every route of the API in the template. */
export function routes(template: Template, prefix: string): TemplateRoute[] {
  const paths = pathsOfResources(template)
  return ofType(template, 'AWS::ApiGateway::Method').map(([, { ResourceId, HttpMethod, Integration }]) => {
    const { Uri, ResponseTransferMode, TimeoutInMillis } = Integration as Integration
    return {
      path: paths[JSON.stringify(ResourceId)] ?? '?',
      verb: String(HttpMethod),
      function: functionName(template, logicalNameIn(Uri['Fn::Join'][1])).slice(prefix.length),
      streams: ResponseTransferMode === 'STREAM' && JSON.stringify(Uri).includes('response-streaming'),
      milliseconds: TimeoutInMillis,
    }
  })
}

const ROOT = JSON.stringify({ 'Fn::GetAtt': ['ApiGatewayRestApi', 'RootResourceId'] })

function pathsOfResources(template: Template): Readonly<Record<string, string>> {
  const resources = ofType(template, 'AWS::ApiGateway::Resource')
  const paths: Record<string, string> = { [ROOT]: '/' }
  // A parent may come after its children, so each round resolves one more level.
  for (let depth = 0; depth < 3; depth += 1) {
    for (const [name, { ParentId, PathPart }] of resources) {
      const parent = paths[JSON.stringify(ParentId)]
      if (parent !== undefined) {
        paths[JSON.stringify({ Ref: name })] = `${parent.replace(/\/$/, '')}/${PathPart}`
      }
    }
  }
  return paths
}

const logicalNameIn = (parts: readonly unknown[]): string =>
  parts.flatMap((part) =>
    typeof part === 'object' && part !== null && 'Fn::GetAtt' in part
      ? [(part as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]
      : [],
  )[0] ?? '?'

const functionName = ({ Resources }: Template, logicalName: string): string =>
  String(Resources[logicalName]?.Properties?.['FunctionName'])
