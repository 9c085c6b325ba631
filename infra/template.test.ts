import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readFileMessage } from '#lib/ingest/file-message.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { routes } from '#test/template/routes.ts'
import { schemaComplaints } from '#test/template/schema.ts'
import { ofType, packagedTemplate } from '#test/template/template.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { INTAKE_PATH, routesOf } from '#tools/contracts/functions-config.ts'
import { demoKey } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'
import { tableDefinition } from '#tools/server/table-definition.ts'

const template = await packagedTemplate('prod')
const files = await loadFunctionFiles()
const PREFIX = 'tollgate-prod-'

const all = (type: string) => ofType(template, type)
const text = (value: unknown) => JSON.stringify(value)

test('the template has no conditions, whose other branch CloudFormation would validate, too', () => {
  expect(text(template)).not.toMatch(/"Conditions?":"|"Conditions":|"Fn::If"/)
})

test('every resource fits its published schema', async () => {
  expect(await schemaComplaints(template)).toEqual([])
})

test('a violation of a schema is noticed', async () => {
  const Properties = { BillingMode: 'PAY_PER_MONTH', KeySchema: [{ AttributeName: 'PK' }], Colour: 'red' }
  const broken = { T: { Type: 'AWS::DynamoDB::Table', Properties }, U: { Type: 'AWS::No::Such' } }

  expect(await schemaComplaints({ Resources: broken, Outputs: {} })).toEqual([
    'T (AWS::DynamoDB::Table).KeySchema[0]: KeyType is missing',
    'T (AWS::DynamoDB::Table).Colour is unknown',
    'U: AWS::No::Such is an unknown type',
  ])
})

test('every method has a route by name and alias; the only others are switches and not_found', () => {
  const methods = files.flatMap(({ method }) => routesOf(method).map((path) => [path, method.name]))

  expect(Object.fromEntries(routes(template, PREFIX).map((route) => [route.path, route.function]))).toEqual({
    ...Object.fromEntries(methods),
    '/': 'not_found',
    [INTAKE_PATH]: 'intake',
    '/calls/authorize': 'authorize_call',
    '/calls/release': 'release_call',
    '/{proxy+}': 'not_found',
  })
  expect(routes(template, PREFIX).filter(({ verb }) => verb !== 'ANY')).toEqual([])
})

test('exactly the methods that stream are invoked for a stream, with the time for it', () => {
  const streaming = files.flatMap(({ method }) => (method.streams ? routesOf(method) : []))
  const streamed = routes(template, PREFIX).filter(({ streams }) => streams)

  expect(streamed.map(({ path }) => path).sort()).toEqual(streaming.sort())
  expect(streamed.filter(({ milliseconds }) => milliseconds !== 300_000)).toEqual([])
})

test('every hour a message requests to suspend overdue dialog events and to retry large CDRs', () => {
  const { ScheduleExpression, Target } = template.Resources['RetrySchedule']?.Properties ?? {}
  const { Arn, Input } = Target as { Arn: object; Input: string }

  expect([ScheduleExpression, Arn]).toEqual(['rate(1 hour)', { 'Fn::GetAtt': ['RecordFileQueue', 'Arn'] }])
  expect(readFileMessage(Input)).toEqual({ reasons: ['too_large'], after: '', type: 'retry_suspense' })
})

test('the table is the one that the code knows, and outlives the stack', () => {
  const { TableName, ...definition } = tableDefinition('any')

  expect(template.Resources['Table']).toMatchObject({
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      ...definition,
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: false },
    },
  })
})

test('no bucket is public, and requests without TLS are denied', () => {
  for (const [name, bucket] of all('AWS::S3::Bucket')) {
    expect(Object.values(bucket['PublicAccessBlockConfiguration'] ?? {}), name).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(bucket['VersioningConfiguration'], name).toEqual({ Status: 'Enabled' })
    expect(text(bucket['BucketEncryption']), name).toContain('"SSEAlgorithm"')
  }
  const kinds = ['S3::Bucket', 'SQS::Queue', 'SNS::Topic'].map((kind) => `AWS::${kind}`)
  const kept = kinds.flatMap((kind) => all(`${kind}Policy`))
  const protectedIn = text(kept.flatMap(([, { Bucket, Queues, Topics }]) => [Bucket, Queues, Topics]))
  for (const [name] of kinds.flatMap(all)) expect(protectedIn).toContain(JSON.stringify({ Ref: name }))
  for (const [name, policy] of kept)
    expect(text(policy), name).toMatch(/"Effect":"Deny".*SecureTransport|SecureTransport.*"Effect":"Deny"/)
})

test('data outlives the stack, and a failed first deployment leaves only what cannot roll back', () => {
  const policies = Object.entries(template.Resources).map(
    ([name, { DeletionPolicy = 'Delete' }]) => [DeletionPolicy, name] as const,
  )
  const namesWith = (policy: string) =>
    policies.flatMap(([one, name]) => (one === policy ? [name] : [])).sort()

  // The table is protected against deletion. The account refers to its role for logs.
  expect(namesWith('Retain')).toEqual(['ApiGatewayAccount', 'ApiGatewayLogsRole', 'Table'])
  expect(namesWith('RetainExceptOnCreate')).toEqual([
    'AccessLogGroup',
    'ApiLogGroup',
    'ArchiveBucket',
    'FileDeadLetters',
    'ImportBucket',
    'IngestLogGroup',
    'RecordDeadLetters',
    'WebhookDeadLetters',
  ])
})

test('every queue is encrypted, has a dead-letter queue, and gives a function time to end', () => {
  const queues = Object.fromEntries(all('AWS::SQS::Queue'))

  for (const queue of Object.values(queues))
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
  const deadLetters = {
    RecordQueue: 'Record',
    RecordFileQueue: 'File',
    FileQueue: 'File',
    WebhookQueue: 'Webhook',
  }
  for (const [name, kind] of Object.entries(deadLetters)) {
    expect(queues[name]).toMatchObject({
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [`${kind}DeadLetters`, 'Arn'] } },
    })
  }
  for (const [, { EventSourceArn, FunctionName, FunctionResponseTypes }] of all(
    'AWS::Lambda::EventSourceMapping',
  )) {
    const queue = queues[(EventSourceArn as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]
    const consumer = template.Resources[(FunctionName as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]]
    expect(Number(queue?.['VisibilityTimeout'])).toBeGreaterThan(Number(consumer?.Properties?.['Timeout']))
    expect(FunctionResponseTypes).toEqual(['ReportBatchItemFailures'])
  }
})

test('every log has a retention, stays when the stage is removed, and has one JSON object a line', () => {
  const groups = all('AWS::Logs::LogGroup')

  expect(groups.map(([, { LogGroupName, RetentionInDays }]) => [LogGroupName, RetentionInDays])).toEqual([
    ['/aws/lambda/tollgate-prod-api', 90],
    ['/aws/lambda/tollgate-prod-ingest', 90],
    ['/aws/apigateway/tollgate-prod', 90],
  ])
  for (const [name] of groups) {
    expect(template.Resources[name]).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    })
  }
  for (const [name, { LoggingConfig }] of all('AWS::Lambda::Function')) {
    expect(LoggingConfig, name).toMatchObject({
      LogFormat: 'JSON',
      LogGroup: expect.stringMatching(/^\/aws\/lambda\/tollgate-prod-(api|ingest)$/),
    })
  }
})

test('the stage throttles, traces, and logs no query string', () => {
  const [[, stage]] = all('AWS::ApiGateway::Stage') as [[string, Record<string, unknown>]]
  const format = (stage['AccessLogSetting'] as { Format: string }).Format

  expect(stage).toMatchObject({ TracingEnabled: true, StageName: 'prod' })
  expect((stage['MethodSettings'] as object[])[0]).toEqual({
    HttpMethod: '*',
    ResourcePath: '/*',
    LoggingLevel: 'OFF',
    DataTraceEnabled: false,
    ThrottlingRateLimit: 1000,
    ThrottlingBurstLimit: 2000,
  })
  expect(JSON.parse(format.replace('$context.status', '200'))).toMatchObject({
    status: 200,
    path: '$context.resourcePath',
  })
  expect(format).not.toMatch(/query|requestOverride|\$context\.path|header/i)
  expect(all('AWS::ApiGateway::Deployment').map(([, { StageName }]) => StageName)).toEqual([undefined])
})

test('the API is one definition, imported by each deployment with all that an import would reset', () => {
  const [[name]] = all('AWS::ApiGateway::Deployment') as [[string, object]]
  const [[, api]] = all('AWS::ApiGateway::RestApi') as [[string, Record<string, unknown>]]
  const { Resources: answers } = parse(readFileSync(`${root}infra/gateway-responses.yml`, 'utf8'))
  const types = Object.values<{ Properties: { ResponseType: string } }>(answers).map(
    ({ Properties }) => Properties.ResponseType,
  )

  expect(api['Body']).toMatchObject({
    info: { version: name },
    'x-amazon-apigateway-binary-media-types': ['*/*'],
    'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: false },
    'x-amazon-apigateway-security-policy': api['SecurityPolicy'],
    'x-amazon-apigateway-endpoint-access-mode': api['EndpointAccessMode'],
  })
  expect(Object.keys(Object(api['Body'])['x-amazon-apigateway-gateway-responses'])).toEqual(types)
  expect(
    ['Method', 'Resource', 'GatewayResponse'].flatMap((type) => all(`AWS::ApiGateway::${type}`)),
  ).toEqual([])
})

test('functions run on arm64 and Node 24, are traced, and have a whole processor if they calculate', () => {
  for (const [name, properties] of all('AWS::Lambda::Function')) {
    expect(properties, name).toMatchObject({
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      TracingConfig: { Mode: 'Active' },
    })
  }
  expect(template.Resources['UserUnderscoreloginLambdaFunction']?.Properties).toMatchObject({
    MemorySize: 1769,
  })
})

test('names fit their limits with the longest supported stage', () => {
  const longer = 'production'.length - 'prod'.length
  const longest = {
    'AWS::Lambda::Function': ['FunctionName', 64],
    'AWS::CloudWatch::Alarm': ['AlarmName', 255],
    'AWS::Scheduler::Schedule': ['Name', 64],
  } as const

  for (const [type, [property, limit]] of Object.entries(longest)) {
    for (const [name, properties] of all(type)) {
      expect(String(properties[property]).length + longer, name).toBeLessThanOrEqual(limit)
    }
  }
})

test('no generated name is cut with the longest supported stage, so that each is one of the deployer', () => {
  const longestOf = {
    'AWS::IAM::Role': 64,
    'AWS::S3::Bucket': 63,
    'AWS::SQS::Queue': 80,
  }

  for (const [type, limit] of Object.entries(longestOf)) {
    for (const [name] of all(type))
      expect(`tollgate-production-${name}-1A2B3C4D5E6F7`.length, name).toBeLessThanOrEqual(limit)
  }
})

test('no stage comes near the 500 resources of CloudFormation, with everything on', async () => {
  const whole = await packagedTemplate('prod', EVERYTHING)

  expect(Object.keys(template.Resources).length).toBeLessThan(180)
  expect(Object.keys(whole.Resources).length).toBeLessThan(230)
})

test('no secret is in the template or in an environment', () => {
  const environments = all('AWS::Lambda::Function').flatMap(([, { Environment }]) =>
    Object.keys((Environment as { Variables: object }).Variables),
  )

  expect([...new Set(environments)].sort()).toEqual([
    'ARCHIVE_BUCKET',
    'CALLER_LIMIT',
    'FILE_QUEUE_URL',
    'IMPORTS_ACCESS',
    'RECORD_QUEUE_URL',
    'TABLE_NAME',
    'WEBHOOK_QUEUE_URL',
  ])
  expect(text(template)).not.toMatch(/"NoEcho"|AKIA|BEGIN [A-Z ]*KEY|API_Secret_Key/)
  expect(template).not.toHaveProperty('Parameters')
  expect(text(template)).not.toContain(demoKey())
})
