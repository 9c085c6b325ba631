/**
 * The stage of the API as a resource, so that throttling, access logs and tracing are in the template. By default the
 * deployment creates the stage, and osls changes it afterwards, outside of CloudFormation. The deployment has another name
 * each time, so this is code and not YAML.
 */
module.exports = async ({ resolveVariable }) => {
  const deployment = `ApiGatewayDeployment${await resolveVariable('sls:instanceId')}`
  const param = (name) => resolveVariable(`param:${name}`)
  const logins = await resolveVariable('file(infra/functions.yml):user_login.events')
  const sessions =
    (await param('console')) === 'on'
      ? await resolveVariable('file(infra/console-on.yml):console_session.events')
      : []
  const ofSwitches = ['intake', 'authorize_call', 'release_call'].map((name) =>
    resolveVariable(`file(infra/ingest-functions.yml):${name}.events`),
  )
  const intake = (await Promise.all(ofSwitches)).flat()
  const stage = {
    // AWS refuses a stage with an access log before the account has a role for logs.
    DependsOn: (await param('setsUpApiGatewayLogs')) === 'yes' ? ['ApiGatewayAccount'] : [],
    Properties: {
      RestApiId: { Ref: 'ApiGatewayRestApi' },
      DeploymentId: { Ref: deployment },
      StageName: await resolveVariable('sls:stage'),
      MethodSettings: [
        methodSetting('/*', '*', [await param('throttleRate'), await param('throttleBurst')]),
        ...throttlesOf(logins, [await param('loginRate'), await param('loginBurst')]),
        ...throttlesOf(sessions.slice(0, 1), [await param('loginRate'), await param('loginBurst')]),
        ...throttlesOf(intake, [await param('intakeRate'), await param('intakeBurst')]),
      ],
    },
  }
  return {
    Resources: { ApiStage: stageResource(stage) },
    extensions: {
      [deployment]: { Properties: { StageName: null } },
      ApiGatewayRestApi: {
        Properties: {
          // osls writes an empty text, which is not a valid policy.
          Policy: null,
          // The handshake follows the policy of the API, also under a domain (API Gateway Developer Guide, "How to change a security
          // policy"), and that of a regional API would be TLS 1.0. STRICT would refuse proxies that send another host name.
          SecurityPolicy: await param('tlsPolicy'),
          EndpointAccessMode: 'BASIC',
        },
      },
    },
  }
}

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

/** A method for any verb needs settings for each verb. */
const VERBS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

/** The throttles of every path of a function. All slashes but the first are escaped as in a JSON pointer. */
const throttlesOf = (events, throttle) =>
  events.flatMap(({ http }) =>
    VERBS.map((verb) => methodSetting(`/${http.path.replaceAll('/', '~1')}`, verb, throttle)),
  )

/** API Gateway's execution log stays off, because it would contain parameters. */
const methodSetting = (ResourcePath, HttpMethod, [ThrottlingRateLimit, ThrottlingBurstLimit]) => ({
  HttpMethod,
  ResourcePath,
  LoggingLevel: 'OFF',
  DataTraceEnabled: false,
  ThrottlingRateLimit,
  ThrottlingBurstLimit,
})

/** One line for each call, without the query string, which has the parameters of GET calls. Numbers stay numbers. */
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
