import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readRetry } from '#lib/ingest/file-message.ts'
import { loadFunctionFiles } from '#lib/local/contracts/function-files.ts'
import { INTAKE_PATH, pathsOf } from '#lib/local/contracts/functions-config.ts'
import { demoKey } from '#lib/local/contracts/generated-files.ts'
import { root } from '#lib/local/location.ts'
import { tableDefinition } from '#lib/store/table.ts'
import { grants, rolesOfFunctions, statements } from './template/access.ts'
import { decided } from './template/decided.ts'
import { routes } from './template/routes.ts'
import { schemaComplaints } from './template/schema.ts'
import { ofType, packagedTemplate } from './template/template.ts'

const template = decided(await packagedTemplate('prod'))
const files = await loadFunctionFiles()
const PREFIX = 'tollgate-prod-'
const ROLES = { read: 'ReaderRole', write: 'WriterRole' }

const all = (type: string) => ofType(template, type)
const text = (value: unknown) => JSON.stringify(value)

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

test('every method has a route for its name and its aliases; the only other routes are the intake and not_found', () => {
  const methods = files.flatMap(({ method }) => pathsOf(method).map((path) => [path, method.name]))

  expect(Object.fromEntries(routes(template, PREFIX).map((route) => [route.path, route.function]))).toEqual({
    ...Object.fromEntries(methods),
    '/': 'not_found',
    [INTAKE_PATH]: 'intake',
    '/{proxy+}': 'not_found',
  })
  expect(routes(template, PREFIX).filter(({ verb }) => verb !== 'ANY')).toEqual([])
})

test('exactly the methods that stream are invoked for a stream, with the time for it', () => {
  const streaming = files.flatMap(({ method }) => (method.streams ? pathsOf(method) : []))
  const streamed = routes(template, PREFIX).filter(({ streams }) => streams)

  expect(streamed.map(({ path }) => path).sort()).toEqual(streaming.sort())
  expect(streamed.filter(({ milliseconds }) => milliseconds !== 300_000)).toEqual([])
})

test('only API Gateway may invoke functions: those with a route, for this API', () => {
  const permissions = all('AWS::Lambda::Permission')
  const routed = new Set(routes(template, PREFIX).map((route) => route.function))

  expect(permissions).toHaveLength(routed.size)
  for (const [, { Principal, Action, SourceArn }] of permissions) {
    expect([Principal, Action]).toEqual(['apigateway.amazonaws.com', 'lambda:InvokeFunction'])
    expect(text(SourceArn)).toContain('{"Ref":"ApiGatewayRestApi"},"/*/*"')
  }
  expect(all('AWS::Lambda::Url')).toEqual([])
})

test('every function has the role of its contract', () => {
  const roles = rolesOfFunctions(template)
  const names = Object.fromEntries(
    all('AWS::Lambda::Function').map(([name, { FunctionName }]) => [FunctionName, name]),
  )
  const expected = files.map(({ method }) => [method.name, ROLES[method.access]])

  expect(expected.map(([name]) => [name, roles[names[PREFIX + name]]])).toEqual(expected)
})

test('a role that reads cannot write, and none can do more than its work', () => {
  const actions = Object.fromEntries(
    Object.entries(grants(template)).map(([role, granted]) => [role, granted.flatMap((one) => one.actions)]),
  )
  const write = /^(?!logs:(CreateLogStream|PutLogEvents)$|xray:Put|dynamodb:(BatchGetItem|Query)$)/

  expect(actions['ReaderRole']?.filter((action) => write.test(action))).toEqual([])
  expect(actions['BystanderRole']?.filter((action) => !/^(logs|xray):/.test(action))).toEqual([])
  expect(
    Object.values(actions)
      .flat()
      .filter((action) => /\*|Scan|PartiQL|Table$/.test(action)),
  ).toEqual([])
})

test('no resource is a wildcard but X-Ray’s, and what lies in a folder of the bucket', () => {
  const wildcards = Object.entries(grants(template)).flatMap(([role, granted]) =>
    granted
      .filter(({ resources }) => resources.some((resource) => resource.includes('*')))
      .map((one) => ({ role, ...one })),
  )

  for (const { actions, resources } of wildcards) {
    if (resources[0] === '*') expect(actions.filter((action) => !action.startsWith('xray:Put'))).toEqual([])
    else
      for (const resource of resources)
        expect(resource).toMatch(
          /^\{"Fn::Sub":"\$\{ImportBucket\.Arn\}\/(rejected\/)?(records|switches|operator|rejected)\/\*"\}$/,
        )
  }
  const managed = all('AWS::IAM::Role').flatMap(([name, { ManagedPolicyArns = [] }]) =>
    (ManagedPolicyArns as unknown[]).map((arn) => `${name} ${text(arn)}`),
  )
  expect(managed).toEqual([
    expect.stringMatching(/^ApiGatewayLogsRole .*AmazonAPIGatewayPushToCloudWatchLogs/),
  ])
})

const inBucket = (folder: string) => text({ 'Fn::Sub': `\${ImportBucket.Arn}/${folder}/*` })
const queue = (name: string) => text({ 'Fn::GetAtt': [name, 'Arn'] })

test('senders and operators may send their own files and records, and do nothing else', () => {
  const allow = (action: string, ...resources: string[]) => ({
    effect: 'Allow',
    actions: [action],
    resources,
  })

  expect(grants(template)['SenderPolicy']).toEqual([
    allow('sqs:SendMessage', queue('RecordQueue')),
    allow('s3:PutObject', inBucket('records'), inBucket('switches')),
  ])
  expect(grants(template)['OperatorPolicy']).toEqual([
    allow('s3:PutObject', inBucket('operator')),
    allow('s3:GetObject', inBucket('rejected')),
  ])
})

test('the intake only sends to the queue of CDRs and suspends CDRs too large for a message', () => {
  const own = grants(template)['IntakeRole']?.filter(({ actions }) => !/^(logs|xray):/.test(actions.join()))

  expect(own?.map(({ actions, resources }) => [...actions, ...resources])).toEqual([
    ['dynamodb:BatchGetItem', queue('Table')],
    ['dynamodb:UpdateItem', queue('Table')],
    ['dynamodb:BatchWriteItem', queue('Table')],
    ['sqs:SendMessage', queue('RecordQueue')],
  ])
  expect(rolesOfFunctions(template)['IntakeLambdaFunction']).toBe('IntakeRole')
  expect(template.Resources['IntakeLambdaFunction']?.Properties).toMatchObject({
    Environment: { Variables: { RECORD_QUEUE_URL: { Ref: 'RecordQueue' } } },
  })
})

test('every hour a message requests to suspend overdue dialog events and to retry large CDRs', () => {
  const [[name, { ScheduleExpression, Targets }]] = all('AWS::Events::Rule') as [
    [string, { ScheduleExpression: string; Targets: { Arn: object; Input: string }[] }],
  ]

  expect(ScheduleExpression).toBe('rate(1 hour)')
  expect(Targets).toHaveLength(1)
  expect(Targets[0]).toMatchObject({ Arn: { 'Fn::GetAtt': ['RecordFileQueue', 'Arn'] } })
  expect(readRetry(Targets[0]?.Input ?? '')).toEqual({
    reasons: ['too_large'],
    after: '',
    type: 'retry_suspense',
  })
  expect(JSON.stringify(template.Resources['RecordFileQueuePermission'])).toContain(
    JSON.stringify({ ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [name, 'Arn'] } } }),
  )
})

test.each([
  [
    ['records', 'switches'],
    'RecordFileQueue',
    'IngestRecordFilesRole',
    'IngestUnderscorerecordUnderscorefilesLambdaFunction',
  ],
  [['operator'], 'FileQueue', 'IngestFilesRole', 'IngestUnderscorefilesLambdaFunction'],
])(
  'files under %j have a queue, a function and a role of their own',
  (folders, queueName, role, consumer) => {
    const [[, { NotificationConfiguration }]] = all('AWS::S3::Bucket').filter(
      ([name]) => name === 'ImportBucket',
    ) as [[string, { NotificationConfiguration: { QueueConfigurations: object[] } }]]
    const own = grants(template)[role]?.filter(({ actions }) => /^(s3|sqs):/.test(actions.join()))

    for (const folder of folders) {
      expect(NotificationConfiguration.QueueConfigurations).toContainEqual({
        Event: 's3:ObjectCreated:*',
        Queue: { 'Fn::GetAtt': [queueName, 'Arn'] },
        Filter: { S3Key: { Rules: [{ Name: 'prefix', Value: `${folder}/` }] } },
      })
    }
    expect(own?.map(({ actions, resources }) => [actions.at(-1), ...resources])).toEqual([
      ['sqs:ReceiveMessage', queue(queueName)],
      ['sqs:SendMessage', queue(queueName)],
      ['s3:GetObject', ...folders.map(inBucket)],
      ['s3:PutObject', ...folders.map((folder) => inBucket(`rejected/${folder}`))],
    ])
    expect(rolesOfFunctions(template)[consumer]).toBe(role)
    expect(template.Resources[consumer]?.Properties).toMatchObject({
      Environment: { Variables: { FILE_QUEUE_URL: { Ref: queueName } } },
    })
  },
)

/** Tells whether a condition limits a statement to this account, or to one resource of this stack. */
const OURS = /aws:SourceAccount|"ArnEquals":\{"aws:SourceArn":\{"Fn::GetAtt"/

test('every resource policy limits what it allows to everybody', () => {
  const policies = ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'].flatMap(all)
  const open = policies.flatMap(([name, { PolicyDocument }]) =>
    (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement.filter(
      ({ Effect, Principal, Condition }) =>
        Effect === 'Allow' && (text(Principal).includes('*') || !OURS.test(text(Condition ?? ''))),
    ).map(() => name),
  )

  expect(open).toEqual([])
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
      SSESpecification: { SSEEnabled: true },
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
  expect(template.Resources['ImportBucket']).toMatchObject({ DeletionPolicy: 'Retain' })
  const kinds = ['S3::Bucket', 'SQS::Queue', 'SNS::Topic'].map((kind) => `AWS::${kind}`)
  const kept = kinds.flatMap((kind) => all(`${kind}Policy`))
  expect(kept).toHaveLength(kinds.flatMap(all).length)
  for (const [name, policy] of kept)
    expect(text(policy), name).toMatch(/"Effect":"Deny".*SecureTransport|SecureTransport.*"Effect":"Deny"/)
})

test('every queue is encrypted, has a dead-letter queue, and gives a function time to end', () => {
  const queues = Object.fromEntries(all('AWS::SQS::Queue'))

  for (const queue of Object.values(queues))
    expect(queue).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 })
  const deadLetters = { RecordQueue: 'Record', RecordFileQueue: 'File', FileQueue: 'File' }
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

test('a deployment contains every answer of the gateway', () => {
  const [deployment] = Object.values(template.Resources).filter(
    ({ Type }) => Type === 'AWS::ApiGateway::Deployment',
  )

  expect(deployment?.DependsOn).toEqual(
    expect.arrayContaining(all('AWS::ApiGateway::GatewayResponse').map(([name]) => name)),
  )
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

test('every alarm has a receiver', () => {
  for (const [name, alarm] of all('AWS::CloudWatch::Alarm')) {
    expect(alarm, name).toMatchObject({
      AlarmActions: [{ Ref: 'AlarmTopic' }],
      TreatMissingData: 'notBreaching',
    })
  }
})

test('every alarm is on the dashboard, which is well-formed', () => {
  const [[, { DashboardBody }]] = all('AWS::CloudWatch::Dashboard') as [
    [string, { DashboardBody: { 'Fn::Sub': [string, object] } }],
  ]
  const { widgets } = JSON.parse(DashboardBody['Fn::Sub'][0])
  const [{ properties: shown }, ...metrics] = widgets

  expect(shown.alarms.toSorted()).toEqual(
    all('AWS::CloudWatch::Alarm')
      .map(([name]) => `\${${name}.Arn}`)
      .sort(),
  )
  expect(text(metrics)).toContain('UncheckedCalls')
})

test('failed logins are counted by the text of their refusal', () => {
  const { FilterPattern } = template.Resources['LoginFailures']?.Properties ?? {}
  const { errors } = files.find(({ method }) => method.name === 'user_login')?.method ?? { errors: {} }

  expect([...String(FilterPattern).matchAll(/refusal = "([^"]+)"/g)].map(([, words]) => words)).toEqual(
    Object.values(errors),
  )
})

test('every custom metric that an alarm or the dashboard reads is written', () => {
  const written = all('AWS::Logs::MetricFilter').flatMap(([, { MetricTransformations }]) =>
    (MetricTransformations as { MetricName: string }[]).map(({ MetricName }) => MetricName),
  )
  const read = all('AWS::CloudWatch::Alarm').flatMap(([, { Namespace, MetricName }]) =>
    Namespace === PREFIX.slice(0, -1) ? [MetricName] : [],
  )

  expect(read.sort()).toEqual(written.sort())
})

test('every alarm has a section in docs/operations.md', () => {
  const pages = [...readFileSync(`${root}docs/operations.md`, 'utf8').matchAll(/^### (.+)$/gm)].map(
    ([, name]) => name,
  )

  expect(
    all('AWS::CloudWatch::Alarm')
      .map(([, { AlarmName }]) => String(AlarmName).slice(PREFIX.length))
      .sort(),
  ).toEqual(pages.sort())
})

test('names fit their limits with the longest supported stage', () => {
  const longer = 'production'.length - 'prod'.length
  const longest = {
    'AWS::Lambda::Function': ['FunctionName', 64],
    'AWS::CloudWatch::Alarm': ['AlarmName', 255],
  } as const

  for (const [type, [property, limit]] of Object.entries(longest)) {
    for (const [name, properties] of all(type)) {
      expect(String(properties[property]).length + longer, name).toBeLessThanOrEqual(limit)
    }
  }
})

test('the stack stays far below the 500 resources of CloudFormation', () => {
  expect(Object.keys(template.Resources).length).toBeLessThan(250)
})

test('no secret is in the template or in an environment', () => {
  const environments = all('AWS::Lambda::Function').flatMap(([, { Environment }]) =>
    Object.keys((Environment as { Variables: object }).Variables),
  )

  expect([...new Set(environments)].sort()).toEqual([
    'FILE_QUEUE_URL',
    'IMPORTS_ACCESS',
    'RECORD_QUEUE_URL',
    'TABLE_NAME',
  ])
  expect(text(template)).not.toMatch(/"(Parameters|NoEcho)"|AKIA|BEGIN [A-Z ]*KEY|API_Secret_Key/)
  expect(text(template)).not.toContain(demoKey())
})

test('statements of a policy are read as written', () => {
  expect(statements({ Statement: [{ Effect: 'Allow', Action: 'a:B', Resource: { Ref: 'C' } }] })).toEqual([
    { effect: 'Allow', actions: ['a:B'], resources: ['{"Ref":"C"}'] },
  ])
})

test('the alarms are encrypted with a key that CloudWatch may use', () => {
  const [[, topic]] = all('AWS::SNS::Topic') as [[string, Record<string, unknown>]]
  const [[, key]] = all('AWS::KMS::Key') as [[string, Record<string, unknown>]]

  expect(topic['KmsMasterKeyId']).toEqual({ Ref: 'AlarmKey' })
  expect(key['EnableKeyRotation']).toBe(true)
  expect(text(key['KeyPolicy'])).toContain('cloudwatch.amazonaws.com')
})
