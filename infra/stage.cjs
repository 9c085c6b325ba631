/**
 * The stage of the API as a resource of its own, so that throttling, access logs and tracing are in the template: osls
 * lets the deployment make the stage, and sets what it knows of afterwards, past CloudFormation. The deployment has
 * another name each time, which is why this is no YAML.
 */
module.exports = async ({ resolveVariable }) => {
  const deployment = `ApiGatewayDeployment${await resolveVariable('sls:instanceId')}`
  const param = (name) => resolveVariable(`param:${name}`)
  const logins = await resolveVariable('file(infra/functions.yml):user_login.events')
  const intake = await resolveVariable('file(infra/ingest-functions.yml):intake.events')
  const stage = {
    // Without the account's role for logs a stage with an access log is refused; where it is set up already, it is there.
    DependsOn: (await param('setsUpApiGatewayLogs')) === 'yes' ? ['ApiGatewayAccount'] : [],
    Properties: {
      RestApiId: { Ref: 'ApiGatewayRestApi' },
      DeploymentId: { Ref: deployment },
      StageName: await resolveVariable('sls:stage'),
      MethodSettings: [
        methodSetting('/*', '*', [await param('throttleRate'), await param('throttleBurst')]),
        ...throttlesOf(logins, [await param('loginRate'), await param('loginBurst')]),
        ...throttlesOf(intake, [await param('intakeRate'), await param('intakeBurst')]),
      ],
    },
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
  'FilteredResponse',
]

const stageResource = ({ DependsOn, Properties }) => ({
  Type: 'AWS::ApiGateway::Stage',
  DependsOn,
  Properties: {
    ...Properties,
    TracingEnabled: true,
    AccessLogSetting: {
      DestinationArn: { 'Fn::GetAtt': ['AccessLogGroup', 'Arn'] },
      Format: accessLogFormat(),
    },
  },
})

/** A method that takes any verb has settings for each of them. */
const VERBS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** Of every path of a function. Slashes within a path are written as in a JSON pointer, but for the first. */
const throttlesOf = (events, throttle) =>
  events.flatMap(({ http }) =>
    VERBS.map((verb) => methodSetting(`/${http.path.replaceAll('/', '~1')}`, verb, throttle)),
  )

/** API Gateway's own log of a call would hold its parameters. */
const methodSetting = (ResourcePath, HttpMethod, [ThrottlingRateLimit, ThrottlingBurstLimit]) => ({
  HttpMethod,
  ResourcePath,
  LoggingLevel: 'OFF',
  DataTraceEnabled: false,
  ThrottlingRateLimit,
  ThrottlingBurstLimit,
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
