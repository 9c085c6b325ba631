/**
 * The stage of the API as a resource of its own, so that throttling, access logs and tracing are in the template: osls
 * lets the deployment make the stage, and sets what it knows of afterwards, past CloudFormation. The deployment has
 * another name each time, which is why this is no YAML.
 */
module.exports = async ({ resolveVariable }) => {
  const deployment = `ApiGatewayDeployment${await resolveVariable('sls:instanceId')}`
  const stage = {
    DeploymentId: { Ref: deployment },
    StageName: await resolveVariable('sls:stage'),
    ThrottlingRateLimit: await resolveVariable('param:throttleRate'),
    ThrottlingBurstLimit: await resolveVariable('param:throttleBurst'),
  }
  return {
    Resources: { ApiStage: stageResource(stage) },
    extensions: {
      [deployment]: { DependsOn: GATEWAY_RESPONSES, Properties: { StageName: null } },
      // osls writes an empty text, which is no policy.
      ApiGatewayRestApi: { Properties: { Policy: null } },
    },
  }
}

/** A deployment is a snapshot: what is not there yet stays out of it (infra/gateway-responses.yml). */
const GATEWAY_RESPONSES = [
  'BadRequestResponse',
  'InternalErrorResponse',
  'TooLargeResponse',
  'UnsupportedTypeResponse',
  'ThrottledResponse',
]

const stageResource = ({ DeploymentId, StageName, ...throttling }) => ({
  Type: 'AWS::ApiGateway::Stage',
  DependsOn: ['ApiGatewayAccount'],
  Properties: {
    RestApiId: { Ref: 'ApiGatewayRestApi' },
    DeploymentId,
    StageName,
    TracingEnabled: true,
    AccessLogSetting: {
      DestinationArn: { 'Fn::GetAtt': ['AccessLogGroup', 'Arn'] },
      Format: accessLogFormat(),
    },
    MethodSettings: [
      // API Gateway's own log of a call would hold its parameters.
      { HttpMethod: '*', ResourcePath: '/*', LoggingLevel: 'OFF', DataTraceEnabled: false, ...throttling },
    ],
  },
})

/** One line a call; never the query string, in which GET calls carry their parameters. Numbers stay numbers. */
function accessLogFormat() {
  const fields = Object.entries({
    request: '"$context.requestId"',
    time: '"$context.requestTime"',
    address: '"$context.identity.sourceIp"',
    verb: '"$context.httpMethod"',
    path: '"$context.resourcePath"',
    status: '$context.status',
    bytes: '"$context.responseLength"',
    milliseconds: '"$context.responseLatency"',
    function_milliseconds: '"$context.integrationLatency"',
    error: '"$context.error.message"',
    function_error: '"$context.integration.error"',
    trace: '"$context.xrayTraceId"',
  })
  return `{${fields.map(([name, value]) => `"${name}":${value}`).join(',')}}`
}
