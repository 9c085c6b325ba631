import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { usedSignatureKey } from '#lib/accounts/used-signature.ts'
import { grants, rolesOfFunctions, statements } from '#test/template/access.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { mayDo } from '#test/template/iam.ts'
import { routes } from '#test/template/routes.ts'
import { ofType, packagedTemplate, type Template } from '#test/template/template.ts'
import { loadFunctionFiles } from '#tools/contracts/function-files.ts'
import { roleOf } from '#tools/contracts/functions-config.ts'
import { root } from '#tools/machine/program.ts'

const template = await packagedTemplate('prod')
const open = await packagedTemplate('prod', EVERYTHING)
const files = await loadFunctionFiles()
const PREFIX = 'tollgate-prod-'

const all = (type: string) => ofType(template, type)
const text = (value: unknown) => JSON.stringify(value)

test('API Gateway may invoke functions with a route, by one role, the scheduler the four by clock', () => {
  const routed = new Set(routes(template, PREFIX).map((route) => PREFIX + route.function))
  const withRoute = all('AWS::Lambda::Function').filter(([, { FunctionName }]) =>
    routed.has(String(FunctionName)),
  )
  const invoker = { 'Fn::GetAtt': ['ApiInvokerRole', 'Arn'] }
  const credentials = routes(template, PREFIX).map((route) => route.credentials)

  expect(grants(template)['ApiInvokerRole']).toEqual([
    { effect: 'Allow', actions: ['lambda:InvokeFunction'], resources: expect.any(Array) },
  ])
  expect(grants(template)['ApiInvokerRole']?.[0]?.resources.toSorted()).toEqual(
    withRoute.map(([name]) => text({ 'Fn::GetAtt': [name, 'Arn'] })).sort(),
  )
  expect(new Set(credentials.map(text))).toEqual(new Set([text(invoker)]))
  expect(all('AWS::Lambda::Permission')).toEqual([])
  const targets = all('AWS::Scheduler::Schedule').map(
    ([, { Target }]) => Target as { Arn: object; RoleArn: object },
  )
  const startable = grants(template)['SchedulerRole']?.flatMap(({ resources }) => resources)

  expect(targets.map(({ Arn }) => text(Arn)).sort()).toEqual(startable?.sort())
  expect(new Set(targets.map(({ RoleArn }) => text(RoleArn)))).toEqual(
    new Set([text({ 'Fn::GetAtt': ['SchedulerRole', 'Arn'] })]),
  )
  expect(all('AWS::Lambda::Url')).toEqual([])
})

test('every role is that of a function or of a service, and one that adds payments deletes nothing', () => {
  const text = JSON.stringify(template.Resources)
  const unused = all('AWS::IAM::Role').filter(([name]) => !text.includes(`{"Fn::GetAtt":["${name}","Arn"]}`))

  expect(unused).toEqual([])
  expect(mayDo(template, 'PaymentWriterRole', { action: 'PutItem', leadingKeys: ['USER#10'] })).toBe(true)
  expect(mayDo(template, 'PaymentWriterRole', { action: 'DeleteItem', leadingKeys: ['USER#10'] })).toBe(false)
  expect(mayDo(template, 'WriterRole', { action: 'PutItem', leadingKeys: ['BALANCE#10#0'] })).toBe(false)
})

test('files of operators write the partitions of rows, and no others', () => {
  const mayPut = (...leadingKeys: string[]) =>
    mayDo(open, 'IngestFilesRole', { action: 'PutItem', leadingKeys })

  expect(mayPut('USER#10', 'DEVICE#1', 'CALL#1', 'SETTINGS')).toBe(true)
  expect(mayDo(template, 'IngestFilesRole', { action: 'PutItem', leadingKeys: ['SETTINGS'] })).toBe(false)
  expect(mayPut('WEBHOOK#1')).toBe(false)
  expect(mayPut('BILLRUN#2026-03')).toBe(false)
})

test('every function has the role of its contract', () => {
  const roles = rolesOfFunctions(template)
  const names = Object.fromEntries(
    all('AWS::Lambda::Function').map(([name, { FunctionName }]) => [FunctionName, name]),
  )
  const expected = files.map(({ method }) => [method.name, roleOf(method)])

  expect(expected.map(([name]) => [name, roles[names[PREFIX + name]]])).toEqual(expected)
})

test('a role that reads writes v2 signatures only, and none can do more than its work', () => {
  const actions = Object.fromEntries(
    Object.entries(grants(template)).map(([role, granted]) => [role, granted.flatMap((one) => one.actions)]),
  )
  const write = /^(?!logs:(CreateLogStream|PutLogEvents)$|xray:Put|dynamodb:(BatchGetItem|Query)$)/

  expect(actions['ReaderRole']?.filter((action) => write.test(action))).toEqual(['dynamodb:UpdateItem'])
  expect(actions['BystanderRole']?.filter((action) => !/^(logs|xray):/.test(action))).toEqual([])
  expect(
    Object.values(actions)
      .flat()
      .filter((action) => /\*|Scan|PartiQL|Table$/.test(action)),
  ).toEqual([])
})

test.each(
  files
    .filter(({ method }) => method.callers !== 'public')
    .map(({ method }) => [method.name, method] as const),
)('the role of %s may note that a v2 signature was used', (_name, method) => {
  const leadingKeys = [usedSignatureKey('0').PK]
  expect(mayDo(template, roleOf(method), { action: 'UpdateItem', leadingKeys })).toBe(true)
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
          /^\{"Fn::Sub":"\$\{(ImportBucket\.Arn\}\/(rejected\/)?(records|switches|operator|rejected)|ArchiveBucket\.Arn\})\/\*"\}$/,
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
    const own = grants(template)[role]?.filter(
      ({ actions, resources }) => /^(s3|sqs):/.test(actions.join()) && !/Archive/.test(resources.join()),
    )

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

/** Returns whether a condition limits a statement to this account, or to one resource of this stack. */
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

test('every role that a service takes is for requests of this account', () => {
  const administrators = parse(readFileSync(`${root}infra/second-region.yml`, 'utf8')) as Template
  const trusts = [open, template, administrators].flatMap((one) =>
    ofType(one, 'AWS::IAM::Role').flatMap(([name, { AssumeRolePolicyDocument }]) =>
      (AssumeRolePolicyDocument as { Statement: Record<string, unknown>[] }).Statement.map(
        ({ Principal, Condition }) => ({ name, service: Object(Principal).Service, limits: Condition }),
      ),
    ),
  )
  const ours = { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } }
  const strict = /^(lambda|scheduler)\./

  expect(trusts.length).toBeGreaterThan(30)
  for (const { name, service, limits } of trusts)
    expect(limits, name).toEqual(
      strict.test(service) ? { StringEquals: ours } : { StringEqualsIfExists: ours },
    )
})

test('statements of a policy are read as written', () => {
  expect(statements({ Statement: [{ Effect: 'Allow', Action: 'a:B', Resource: { Ref: 'C' } }] })).toEqual([
    { effect: 'Allow', actions: ['a:B'], resources: ['{"Ref":"C"}'] },
  ])
})

test('the consumers may read the archive, and only its own function may write it', () => {
  const archived = Object.entries(grants(template)).flatMap(([role, granted]) =>
    granted
      .filter(({ resources }) => /ArchiveBucket/.test(resources.join()))
      .map(({ actions }) => `${role} ${actions.join(' ')}`),
  )

  const readers = ['IngestCallsRole', 'IngestFilesRole', 'IngestRecordFilesRole']
  expect(archived.sort()).toEqual(
    [
      'ArchiveRole s3:GetObject s3:PutObject',
      'ArchiveRole s3:ListBucket',
      ...readers.flatMap((role) => [`${role} s3:GetObject`, `${role} s3:ListBucket`]),
    ].sort(),
  )
})

test.each([
  ['UpdateItem', ['CALL#1'], ['expires_at'], true],
  ['PutItem', ['ARCHIVE'], ['day'], true],
  ['PutItem', ['CALL#1'], ['row'], false],
  ['DeleteItem', ['CALL#1'], ['PK', 'SK'], false],
  ['UpdateItem', ['USER#10'], ['usertype'], false],
  ['UpdateItem', ['SETTINGS'], ['PK', 'SK', 'calls_archived_before'], true],
  ['UpdateItem', ['SETTINGS'], ['PK', 'SK', 'API_Secret_Key'], false],
])('the archive and %s of %j with %j: %s', (action, leadingKeys, attributes, isAllowed) => {
  expect(mayDo(template, 'ArchiveRole', { action, leadingKeys, attributes })).toBe(isAllowed)
})

test.each([
  ['IngestRecordFilesRole', 'UpdateItem', true],
  ['IngestFilesRole', 'UpdateItem', true],
  ['ConsoleWriterRole', 'UpdateItem', true],
  ['IngestRecordFilesRole', 'DeleteItem', false],
  ['IngestCallsRole', 'UpdateItem', false],
])('%s and %s of the list of failed imports: %s', (role, action, isAllowed) => {
  expect(mayDo(open, role, { action, leadingKeys: ['IMPORTS'], attributes: ['files'] })).toBe(isAllowed)
})

test.each<[string, string, boolean, string[]?]>([
  ['PutItem', 'DAYGROUPS', true],
  ['PutItem', 'DAYGROUPS#customer', true],
  ['PutItem', 'CALL#1', false],
  ['PutItem', 'SETTINGS', false],
  ['UpdateItem', 'DAYGROUPS#customer', false],
  ['UpdateItem', 'STATS#EVERYONE#0', false],
  ['UpdateItem', 'STATS#EVERYONE#0', true, ['PK', 'SK', 'h492416']],
  ['UpdateItem', 'STATS#USER#10#0', false, ['PK', 'SK', 'h492416']],
])('the hourly sums and %s of %s: %s', (action, key, isAllowed, attributes = ['row']) => {
  expect(mayDo(template, 'SumsRole', { action, leadingKeys: [key], attributes })).toBe(isAllowed)
})

test.each([
  ['PutItem', ['USER#10', 'CHARGE#1'], ['PK', 'SK', 'row', 'version'], true],
  ['UpdateItem', ['BALANCE#10#0'], ['PK', 'SK', 'fees'], true],
  ['UpdateItem', ['ALERT#10'], ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'told', 'epoch', 'event msg_x'], true],
  ['UpdateItem', ['BALANCE#10#0', 'USER#10'], ['PK', 'SK', 'paid', 'open#0#EUR', 'allocates', 'row'], true],
  ['UpdateItem', ['BALANCE#10#0'], ['PK', 'SK', 'charged'], false],
  ['PutItem', ['USER#10'], ['PK', 'SK', 'usertype'], false],
  ['UpdateItem', ['CALL#1'], ['version'], false],
  ['UpdateItem', ['SETTINGS'], ['currency'], false],
  ['DeleteItem', ['CHARGE#1'], ['PK', 'SK'], false],
])('the hourly charges and %s of %j with %j: %s', (action, leadingKeys, attributes, isAllowed) => {
  expect(mayDo(template, 'ChargesRole', { action, leadingKeys, attributes })).toBe(isAllowed)
})
