import { grants, isLikePattern, type PolicyStatement, statements } from './access.ts'
import { logicalNamesIn } from './dangling-names.ts'
import type { HandlerCall, Moment } from './handler-actions.ts'
import { ofType, type Template, type TemplateResource } from './template.ts'

const ACCOUNT = 'arn:aws:iam::123456789012'
const STACK = 'tollgate-prod'
const DEPLOYER = `${ACCOUNT}:role/deployer-of-${STACK}`

const VALUES: Readonly<Record<string, string>> = {
  'AWS::AccountId': '123456789012',
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-central-1',
  Stage: 'prod',
  Boundary: `${ACCOUNT}:policy/boundary-of-${STACK}`,
}

/** One action on one resource, as IAM is asked for it. */
interface Asked {
  readonly action: string
  /** An ARN, or `*` if the action has no resources. */
  readonly resource: string
  /** The values of condition keys. A key that is not here has no value at that moment. */
  readonly context: Readonly<Record<string, string>>
}

/** The rights of the role of infra/deployer.yml on the resources of a stage. */
export class DeployerRights {
  readonly #stage: Template
  readonly #tags: Readonly<Record<string, string>>
  readonly #ofRole: readonly PolicyStatement[]
  /** Those of the key's policy that are for certain roles alone. */
  readonly #ofKey: readonly PolicyStatement[]

  constructor(stage: Template, deployer: Template, tags: Readonly<Record<string, string>>) {
    this.#stage = stage
    this.#tags = tags
    this.#ofRole = grants(withValues(deployer) as Template)['Deployer'] ?? []
    this.#ofKey = ofType(withValues(stage) as Template, 'AWS::KMS::Key').flatMap(([, { KeyPolicy }]) =>
      statements(KeyPolicy as Parameters<typeof statements>[0]).filter(({ condition }) => condition),
    )
  }

  /** Returns whether CloudFormation may call this for the resource of this logical name. */
  allows(name: string, call: HandlerCall): boolean {
    const all = this.#asked(name, call)
    if (all.length === 0) throw new Error(`test/template/deployer-rights.ts knows no ARN of ${name}`)
    return all.every((asked) => {
      // A key that is being created has its policy, but its tags need a right of the role itself.
      const isNewTag = call.moment === 'create' && call.action === 'kms:TagResource'
      const byKey = asked.resource.includes(':key/') && !isNewTag ? this.#ofKey : []
      return [...this.#ofRole, ...byKey].some((statement) => allows(statement, asked))
    })
  }

  /** Some actions need a right on two resources, for example on an alias and on its key. */
  #asked(name: string, { action, moment }: HandlerCall): Asked[] {
    const resource = this.#resource(name)
    const context = { ...this.#tagsAt(moment), ...contextOf(resource) }
    const targets = WITHOUT_RESOURCE.has(action)
      ? ['*']
      : (BEYOND_THE_STAGE[`${resource.Type} ${action}`] ?? this.#targets(name, action.split(':')[0] ?? ''))
    return targets.map((target) => ({ action, resource: target, context }))
  }

  #tagsAt(moment: Moment): Record<string, string> {
    const prefix = moment === 'create' ? 'aws:RequestTag' : 'aws:ResourceTag'
    return Object.fromEntries(Object.entries(this.#tags).map(([tag, value]) => [`${prefix}/${tag}`, value]))
  }

  #targets(name: string, service: string): string[] {
    const { Type, Properties = {} } = this.#resource(name)
    const others = OTHERS[`${Type} ${service}`]
    const properties = others ?? OWNERS[Type] ?? []
    const arn = ARNS[Type]?.(name, Properties)
    return [
      ...(arn !== undefined && !others ? [arn] : []),
      ...properties.flatMap((path) => this.#arnsIn(at(Properties, path))),
      ...(Type.startsWith('AWS::ApiGateway::') && !others ? [STAGE_OF_API] : []),
    ]
  }

  #arnsIn(value: unknown): string[] {
    return logicalNamesIn(value).map((name) => {
      const { Type, Properties = {} } = this.#resource(name)
      return ARNS[Type]?.(name, Properties) ?? STAGE_OF_API
    })
  }

  #resource(name: string): TemplateResource {
    const found = this.#stage.Resources[name]
    if (!found) throw new Error(`The template has no resource ${name}`)
    return found
  }
}

/** AWS's reference of actions names no type of resource for these. */
const WITHOUT_RESOURCE: ReadonlySet<string> = new Set([
  'kms:CreateKey',
  'kms:ListAliases',
  'lakeformation:DescribeLakeFormationIdentityCenterConfiguration',
  'lakeformation:DescribeResource',
  'lakeformation:ListResources',
  'lambda:CreateEventSourceMapping',
  'logs:CreateLogDelivery',
  'logs:DescribeIndexPolicies',
  'logs:DescribeLogGroups',
  'logs:DescribeResourcePolicies',
  'logs:PutResourcePolicy',
])

const API_GATEWAY_FOR_ITSELF = 'ops.apigateway.amazonaws.com'
const BACKUP = 'backup.amazonaws.com'

/** The actions on roles that the stage does not make. */
const BEYOND_THE_STAGE: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::DomainName iam:CreateServiceLinkedRole': [
    `${ACCOUNT}:role/aws-service-role/${API_GATEWAY_FOR_ITSELF}/AWSServiceRoleForAPIGateway`,
  ],
  'AWS::Backup::BackupSelection iam:CreateServiceLinkedRole': [
    `${ACCOUNT}:role/aws-service-role/${BACKUP}/AWSServiceRoleForBackup`,
  ],
  'AWS::Backup::BackupSelection iam:GetRole': [`${ACCOUNT}:role/copies-of-${STACK}`],
  'AWS::Backup::BackupSelection iam:PassRole': [`${ACCOUNT}:role/copies-of-${STACK}`],
  'AWS::S3::Bucket iam:PassRole': [`${ACCOUNT}:role/copies-of-${STACK}`],
}

type Properties = Readonly<Record<string, unknown>>

/** The value under a path such as `Target.RoleArn`. */
const at = (properties: Properties, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], properties)

const REGIONAL = 'eu-central-1:123456789012'

/** Athena takes no hyphens. */
const DATABASE = STACK.replace('-', '_')

/** CloudFormation's own names begin with those of the stack and of the resource. */
const generated = (name: string) => `${STACK}-${name}-1A2B3C4D5E`

const ARNS: Readonly<Record<string, (name: string, properties: Properties) => string>> = {
  'AWS::CloudWatch::Alarm': (_, { AlarmName }) => `arn:aws:cloudwatch:${REGIONAL}:alarm:${AlarmName}`,
  'AWS::Backup::BackupPlan': () => `arn:aws:backup:${REGIONAL}:backup-plan:1a2b3c4d`,
  'AWS::Budgets::Budget': () => `arn:aws:budgets::123456789012:budget/${STACK}-eu-central-1`,
  'AWS::CloudWatch::Dashboard': () => `arn:aws:cloudwatch::123456789012:dashboard/${STACK}-eu-central-1`,
  'AWS::DynamoDB::Table': (name) => `arn:aws:dynamodb:${REGIONAL}:table/${generated(name)}`,
  'AWS::Events::Rule': (_, { Name }) => `arn:aws:events:${REGIONAL}:rule/${Name}`,
  'AWS::Glue::Database': () => `arn:aws:glue:${REGIONAL}:database/${DATABASE}`,
  'AWS::Glue::Table': () => `arn:aws:glue:${REGIONAL}:table/${DATABASE}/calls`,
  'AWS::IAM::ManagedPolicy': (name) => `${ACCOUNT}:policy/${generated(name)}`,
  'AWS::IAM::Role': (name) => `${ACCOUNT}:role/${generated(name)}`,
  'AWS::KMS::Alias': (_, { AliasName }) => `arn:aws:kms:${REGIONAL}:${AliasName}`,
  'AWS::KMS::Key': () => `arn:aws:kms:${REGIONAL}:key/1a2b3c4d`,
  'AWS::Lambda::EventSourceMapping': () => `arn:aws:lambda:${REGIONAL}:event-source-mapping:1a2b3c4d`,
  'AWS::Lambda::Function': (_, { FunctionName }) => `arn:aws:lambda:${REGIONAL}:function:${FunctionName}`,
  'AWS::Logs::LogGroup': (_, { LogGroupName }) => `arn:aws:logs:${REGIONAL}:log-group:${LogGroupName}`,
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${generated(name).toLowerCase()}`,
  'AWS::Scheduler::Schedule': (_, { Name }) => `arn:aws:scheduler:${REGIONAL}:schedule/default/${Name}`,
  'AWS::SES::ConfigurationSet': (_, { Name }) => `arn:aws:ses:${REGIONAL}:configuration-set/${Name}`,
  'AWS::SNS::Topic': (name) => `arn:aws:sns:${REGIONAL}:${generated(name)}`,
  'AWS::SQS::Queue': (name) => `arn:aws:sqs:${REGIONAL}:${generated(name)}`,
  'AWS::WAFv2::WebACL': (_, { Name }) => `arn:aws:wafv2:${REGIONAL}:regional/webacl/${Name}/1a2b3c4d`,
}

/** API Gateway's resources have generated ids. */
const STAGE_OF_API = 'arn:aws:apigateway:eu-central-1::/restapis/a1b2c3/stages/prod'

/** The properties that name another resource whose ARN is asked for, too, or alone if it has the only one. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'AWS::Backup::BackupSelection': ['BackupPlanId'],
  'AWS::KMS::Alias': ['TargetKeyId'],
  'AWS::Lambda::EventInvokeConfig': ['FunctionName'],
  'AWS::Lambda::Permission': ['FunctionName'],
  'AWS::Logs::MetricFilter': ['LogGroupName'],
  'AWS::S3::BucketPolicy': ['Bucket'],
  'AWS::SES::ConfigurationSetEventDestination': ['ConfigurationSetName'],
  'AWS::SNS::Subscription': ['TopicArn'],
  'AWS::SNS::TopicPolicy': ['Topics'],
  'AWS::SQS::QueuePolicy': ['Queues'],
  'AWS::WAFv2::WebACLAssociation': ['ResourceArn', 'WebACLArn'],
}

/** The same for actions of another service than the type's own. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Account iam': ['CloudWatchRoleArn'],
  'AWS::ApiGateway::RestApi iam': [
    'Body.paths./{proxy+}.x-amazon-apigateway-any-method.x-amazon-apigateway-integration.credentials',
  ],
  'AWS::Lambda::Function iam': ['Role'],
  'AWS::Lambda::Function s3': ['Code'],
  'AWS::Scheduler::Schedule iam': ['Target.RoleArn'],
  'AWS::WAFv2::WebACLAssociation apigateway': ['ResourceArn'],
}

const PASSED_TO: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Account': 'apigateway.amazonaws.com',
  'AWS::ApiGateway::RestApi': 'apigateway.amazonaws.com',
  'AWS::Backup::BackupSelection': BACKUP,
  'AWS::Lambda::Function': 'lambda.amazonaws.com',
  'AWS::S3::Bucket': 's3.amazonaws.com',
  'AWS::Scheduler::Schedule': 'scheduler.amazonaws.com',
}

const contextOf = ({ Type }: TemplateResource): Record<string, string> => ({
  'iam:PermissionsBoundary': VALUES['Boundary'] ?? '',
  'iam:AWSServiceName': Type === 'AWS::Backup::BackupSelection' ? BACKUP : API_GATEWAY_FOR_ITSELF,
  'iam:PassedToService': PASSED_TO[Type] ?? '',
  'aws:PrincipalArn': DEPLOYER,
  'lambda:FunctionArn': `arn:aws:lambda:${REGIONAL}:function:${STACK}-ingest_calls`,
})

const allows = ({ effect, actions, resources, condition }: PolicyStatement, asked: Asked): boolean =>
  effect === 'Allow' &&
  actions.some((one) => isLikePattern(asked.action.toLowerCase(), one.toLowerCase())) &&
  resources.some((one) => (asked.resource === '*' ? one === '*' : isLikePattern(asked.resource, one))) &&
  holds(condition, asked.context)

/** Every operator in use compares texts, some of them with wildcards. */
const holds = (condition: PolicyStatement['condition'], context: Asked['context']): boolean =>
  Object.values(condition ?? {}).every((compared) =>
    Object.entries(compared).every(([key, wanted]) =>
      [wanted].flat().some((one) => context[key] !== undefined && isLikePattern(context[key], one)),
    ),
  )

/** References and functions with a known value become that value. */
function withValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withValues)
  if (typeof value !== 'object' || value === null) return value
  const { Ref, 'Fn::Sub': sub } = value as { Ref?: string; 'Fn::Sub'?: unknown }
  if (Ref !== undefined) return VALUES[Ref] ?? value
  if (typeof sub === 'string') return sub.replace(/\$\{([\w:]+)\}/g, (all, name) => VALUES[name] ?? all)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, withValues(field)]))
}
