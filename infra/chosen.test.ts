import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { danglingNames } from '#test/template/dangling-names.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { routes } from '#test/template/routes.ts'
import { schemaComplaints } from '#test/template/schema.ts'
import { ofType, packagedTemplate, type Template } from '#test/template/template.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { pathsOf } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/program.ts'

/** The template without any parameter, and with every parameter. */
const plain = await packagedTemplate('prod')
const chosen = await packagedTemplate('prod', EVERYTHING)

const files = await loadFunctionFiles()
const login = files.find(({ method }) => method.name === 'user_login')?.method
const properties = (template: Template, name: string) => template.Resources[name]?.Properties

/** Rate and burst of logins, and of the intake. */
const LIMITS = {
  plain: [
    [20, 40],
    [500, 1000],
  ],
  chosen: [
    ['3', '4'],
    ['5', '6'],
  ],
} as const

const VERBS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']

const throttled = (path: string, [rate, burst]: readonly [number | string, number | string]) =>
  VERBS.map((HttpMethod) => ({
    HttpMethod,
    ResourcePath: `/${path.replaceAll('/', '~1')}`,
    LoggingLevel: 'OFF',
    DataTraceEnabled: false,
    ThrottlingRateLimit: rate,
    ThrottlingBurstLimit: burst,
  }))

describe.each([
  ['plain', plain],
  ['chosen', chosen],
])('a stage that is %s', (_name, template) => {
  test('has no reference to a missing resource', () => {
    expect(danglingNames(template)).toEqual([])
  })

  test('fits the published schemas', async () => {
    expect(await schemaComplaints(template)).toEqual([])
  })

  test('throttles logins, sessions of the console and the intake under every path and verb', () => {
    const [[, stage]] = ofType(template, 'AWS::ApiGateway::Stage') as [[string, { MethodSettings: object[] }]]
    const [logins, intake] = template === chosen ? LIMITS.chosen : LIMITS.plain

    expect(stage.MethodSettings.slice(1)).toEqual([
      ...pathsOf(login ?? { name: '' }).flatMap((path) => throttled(path, logins)),
      ...(template === chosen ? throttled('/console/api/session', logins) : []),
      ...['/intake/{format}', '/calls/authorize', '/calls/release'].flatMap((path) =>
        throttled(path, intake),
      ),
    ])
    expect(stage.MethodSettings).toHaveLength(1 + (template === chosen ? 6 : 5) * VERBS.length)
  })

  test('throttles paths that it has', () => {
    const [[, stage]] = ofType(template, 'AWS::ApiGateway::Stage') as [
      [string, { MethodSettings: { ResourcePath: string }[] }],
    ]
    const paths = new Set(routes(template, 'tollgate-prod-').map(({ path }) => path))

    const throttledPaths = stage.MethodSettings.slice(1).map(({ ResourcePath }) =>
      ResourcePath.slice(1).replaceAll('~1', '/'),
    )

    expect(throttledPaths.filter((path) => !paths.has(path))).toEqual([])
  })
})

test('a caller and a switch have limits of their own', () => {
  const functions = ofType(chosen, 'AWS::Lambda::Function') as unknown as [
    string,
    { FunctionName: string; Environment: { Variables: { CALLER_LIMIT: string } } },
  ][]
  const namesWith = (limit: string) =>
    functions.flatMap(([, { FunctionName, Environment }]) =>
      Environment.Variables.CALLER_LIMIT === limit ? [FunctionName.replace('tollgate-prod-', '')] : [],
    )

  expect(namesWith(EVERYTHING.switchLimit)).toEqual(['intake', 'authorize_call', 'release_call'])
  expect(namesWith(EVERYTHING.callerLimit)).toHaveLength(functions.length - 3)
})

test('the console has routes only if it is on, and only for GET', () => {
  const ofConsole = (template: Template) =>
    routes(template, 'tollgate-prod-').filter((route) => route.function === 'console')

  expect(ofConsole(plain)).toEqual([])
  expect(ofConsole(chosen).map(({ verb, path }) => `${verb} ${path}`)).toEqual([
    'GET /',
    'GET /console/{file}',
    'GET /api/openapi.json',
  ])
})

test('mails that come back have a function, a rule and events of SES only if mails are sent', () => {
  const ofBounces = ({ Resources }: Template) =>
    Object.keys(Resources).filter((name) =>
      /Note(Underscore)?bounces|^Mail(Configuration|Events)$/i.test(name),
    )

  expect(ofBounces(plain)).toEqual([])
  expect(ofBounces(chosen).sort()).toEqual([
    'MailConfiguration',
    'MailEvents',
    'NoteBouncesRole',
    'NoteUnderscorebouncesEventBridgeLambdaPermission1',
    'NoteUnderscorebouncesLambdaFunction',
    'Tollgateprodnotebouncesrule1EventBridgeRule',
  ])
  const sender = properties(chosen, 'ArchiveUnderscorecallsLambdaFunction')
  expect(sender?.['Environment']).toMatchObject({
    Variables: { MAIL_CONFIGURATION: { Ref: 'MailConfiguration' } },
  })
  expect(properties(plain, 'ArchiveUnderscorecallsLambdaFunction')).not.toHaveProperty(
    'Environment.Variables.MAIL_CONFIGURATION',
  )
})

test('Stripe has a route and a role only if it is chosen', () => {
  const ofStripe = (template: Template) => [
    ...routes(template, 'tollgate-prod-').filter((route) => route.function === 'stripe'),
    ...Object.keys(template.Resources).filter((name) => name.startsWith('Stripe')),
  ]

  expect(ofStripe(plain)).toEqual([])
  expect(ofStripe(chosen)).toEqual(
    expect.arrayContaining([expect.objectContaining({ verb: 'ANY', path: '/stripe' }), 'StripeRole']),
  )
})

test('a reference to a missing resource is noticed', () => {
  const broken = {
    A: {
      Type: 'T',
      DependsOn: ['Gone'],
      Properties: { B: { 'Fn::Sub': `\${Lost.Arn}/\${AWS::Region}/\${Own}` } },
    },
    Own: { Type: 'T', Properties: { C: { 'Fn::GetAtt': ['Nowhere', 'Arn'] } } },
  }

  expect(danglingNames({ Resources: broken, Outputs: { O: { Value: { Ref: 'A' } } } })).toEqual([
    'Gone in A',
    'Lost in A',
    'Nowhere in Own',
  ])
})

test('concurrency is reserved only for logins, and only if the parameter is set', () => {
  const reserved = (template: Template) =>
    ofType(template, 'AWS::Lambda::Function').flatMap(([name, { ReservedConcurrentExecutions }]) =>
      ReservedConcurrentExecutions === undefined ? [] : [[name, ReservedConcurrentExecutions]],
    )

  expect(reserved(plain)).toEqual([])
  expect(reserved(chosen)).toEqual([['UserUnderscoreloginLambdaFunction', '7']])
})

test('with a custom domain the API has no other address', () => {
  expect(properties(plain, 'ApiGatewayRestApi')).toMatchObject({ DisableExecuteApiEndpoint: false })
  expect(properties(chosen, 'ApiGatewayRestApi')).toMatchObject({ DisableExecuteApiEndpoint: true })
  expect(plain.Outputs['ApiUrl']?.Value).toEqual({
    'Fn::Sub': `https://\${ApiGatewayRestApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/prod`,
  })
  expect(chosen.Outputs['ApiUrl']?.Value).toBe('https://billing.example.com')
})

test('a custom domain serves every path also under /billing', () => {
  const mappings = ofType(chosen, 'AWS::ApiGateway::BasePathMapping').map(([, mapping]) => mapping)
  const everywhere = {
    DomainName: { Ref: 'Domain' },
    RestApiId: { Ref: 'ApiGatewayRestApi' },
    Stage: { Ref: 'ApiStage' },
  }

  expect(mappings).toEqual([everywhere, { ...everywhere, BasePath: 'billing' }])
  expect(ofType(plain, 'AWS::ApiGateway::BasePathMapping')).toEqual([])
})

test('the stage depends on the logging role of API Gateway if the stack sets it up', () => {
  expect(plain.Resources['ApiStage']?.DependsOn).toEqual(['ApiGatewayAccount'])
  expect(chosen.Resources['ApiStage']?.DependsOn).toBeUndefined()
  expect(chosen.Resources['ApiGatewayAccount']).toBeUndefined()
})

test('a firewall counts the calls of an address if its parameter is set', () => {
  expect(ofType(plain, 'AWS::WAFv2::WebACL')).toEqual([])
  expect(properties(chosen, 'Firewall')).toMatchObject({
    Scope: 'REGIONAL',
    DefaultAction: { Allow: {} },
    Rules: [
      {
        Action: { Block: {} },
        Statement: {
          RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: '2500' },
        },
      },
    ],
  })
  expect(properties(chosen, 'FirewallBeforeStage')).toEqual({
    WebACLArn: { 'Fn::GetAtt': ['Firewall', 'Arn'] },
    ResourceArn: {
      'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/restapis/\${ApiGatewayRestApi}/stages/\${ApiStage}`,
    },
  })
})

test('every role has the permissions boundary of the installation', () => {
  const boundaries = (template: Template) =>
    ofType(template, 'AWS::IAM::Role').map(([, { PermissionsBoundary }]) => PermissionsBoundary)

  expect(new Set(boundaries(plain))).toEqual(new Set([undefined]))
  expect(new Set(boundaries(chosen))).toEqual(new Set([EVERYTHING.permissionsBoundary]))
})

test('infra/stages.yml explains every parameter, alone or with those above it', () => {
  const text = readFileSync(`${root}infra/stages.yml`, 'utf8')
  const [, parameters = ''] = /^default:\n(.*?)^\w/ms.exec(text) ?? []
  const unexplained = parameters.split(/^ {2}# .*\n/m)[0]

  expect(unexplained).toBe('')
  expect(
    parameters.split('\n').filter((line) => line !== '' && !/^ {2}(# \S.*|\w+: .*)$/.test(line)),
  ).toEqual([])
})

test('a template without parameters holds no blank value, even where a condition is off', async () => {
  const { Resources, Outputs } = await packagedTemplate('prod')
  const blanks = (value: unknown, path: string): string[] => {
    if (value === '') return [path]
    if (typeof value !== 'object' || value === null || /\.Fn::(If|Join)$/.test(path)) return []
    return Object.entries(value).flatMap(([name, field]) => blanks(field, `${path}.${name}`))
  }

  expect(blanks(Resources, 'Resources')).toEqual([])
  expect(blanks(Outputs, 'Outputs')).toEqual([])
})
