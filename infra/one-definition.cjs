/**
 * Puts the paths, methods and answers of the API into one definition ("Body" of the RestApi) in the form that
 * SAM gives it. As single resources they were more than half of the 500 that a stack may have. API Gateway
 * invokes all functions with one role.
 *
 * An import replaces all that the API has (SAM issue 390), so the definition must be the only one. Each
 * deployment imports it again, because its version is that of the deployment: after the first import,
 * CloudFormation removes the single resources of an earlier release, and with them perhaps paths of the same
 * name. The deployment of that moment has them, and the next import puts them back.
 */
module.exports = class OneDefinition {
  constructor({ service: { provider } }) {
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        const { Resources } = provider.compiledCloudFormationTemplate
        invokeByRole(Resources)
        const { Properties } = Resources.ApiGatewayRestApi
        const [[version, deployment]] = ofType(Resources, 'AWS::ApiGateway::Deployment')
        delete deployment.DependsOn
        Properties.Parameters = { endpointConfigurationTypes: 'REGIONAL' }
        Properties.Body = definitionOf(Resources, Properties, version)
        for (const type of ['Method', 'Resource', 'GatewayResponse'])
          for (const [name] of ofType(Resources, `AWS::ApiGateway::${type}`)) delete Resources[name]
      },
    }
  }
}

const ofType = (resources, type) => Object.entries(resources).filter(([, { Type }]) => Type === type)

function invokeByRole(resources) {
  const permissions = ofType(resources, 'AWS::Lambda::Permission').filter(
    ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
  )
  for (const [name] of permissions) delete resources[name]
  const [statement] = resources.ApiInvokerRole.Properties.Policies[0].PolicyDocument.Statement
  statement.Resource = permissions.map(([, { Properties }]) => Properties.FunctionName)
}

/** A property of the RestApi that the definition does not name would go back to its default. */
const definitionOf = (resources, api, version) => ({
  openapi: '3.0.1',
  info: { title: api.Name, version },
  'x-amazon-apigateway-binary-media-types': api.BinaryMediaTypes,
  'x-amazon-apigateway-endpoint-configuration': {
    disableExecuteApiEndpoint: api.DisableExecuteApiEndpoint ?? false,
  },
  'x-amazon-apigateway-security-policy': api.SecurityPolicy,
  'x-amazon-apigateway-endpoint-access-mode': api.EndpointAccessMode,
  'x-amazon-apigateway-gateway-responses': Object.fromEntries(
    ofType(resources, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
      Properties.ResponseType,
      {
        ...(Properties.StatusCode && { statusCode: Properties.StatusCode }),
        responseParameters: Properties.ResponseParameters,
        responseTemplates: Properties.ResponseTemplates,
      },
    ]),
  ),
  paths: pathsOf(resources),
})

function pathsOf(resources) {
  const paths = {}
  for (const [, { Properties }] of ofType(resources, 'AWS::ApiGateway::Method')) {
    const path = pathOf(resources, Properties.ResourceId)
    const verb =
      Properties.HttpMethod === 'ANY' ? 'x-amazon-apigateway-any-method' : Properties.HttpMethod.toLowerCase()
    paths[path] = { ...paths[path], [verb]: methodOf(path, Properties.Integration) }
  }
  return paths
}

/** The root is an attribute of the RestApi, and all other paths have a resource above them. */
function pathOf(resources, { Ref }) {
  if (Ref === undefined) return '/'
  const { ParentId, PathPart } = resources[Ref].Properties
  return `${pathOf(resources, ParentId).replace(/\/$/, '')}/${PathPart}`
}

const methodOf = (path, { Uri, TimeoutInMillis, ResponseTransferMode }) => ({
  parameters: [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  })),
  responses: { 200: { description: 'The answer of the function' } },
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: Uri,
    credentials: { 'Fn::GetAtt': ['ApiInvokerRole', 'Arn'] },
    ...(TimeoutInMillis && { timeoutInMillis: TimeoutInMillis }),
    ...(ResponseTransferMode && { responseTransferMode: ResponseTransferMode }),
  },
})
