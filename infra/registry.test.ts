import { existsSync, readFileSync } from 'node:fs'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { DeployerRights } from '#test/template/deployer-rights.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { type HandlerCall, stackTags } from '#test/template/handler-actions.ts'
import { packagedTemplate, type Template } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

/**
 * AWS's registry of resource types, brought here by `curl -fo .build/CloudformationSchema.zip` and
 * https://schema.cloudformation.eu-central-1.amazonaws.com/CloudformationSchema.zip
 */
const REGISTRY = `${root}.build/CloudformationSchema.zip`
const skip = !existsSync(REGISTRY) && !process.env['TOLLGATE_NEEDS_REGISTRY']

interface Handlers {
  readonly typeName: string
  readonly handlers: Readonly<Record<string, { readonly permissions: readonly string[] }>>
  readonly tagging?: { readonly permissions?: readonly string[] }
}

/** Actions that a handler needs only where the resource has this text, the name of a property for example. */
const ONLY_WITH: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'AWS::ApiGateway::RestApi': { BodyS3Location: /^s3:/ },
  'AWS::DynamoDB::Table': {
    KinesisStreamSpecification: /^kinesis:|(Enable|Disable|Update)KinesisStreamingDestination$/,
    ImportSourceSpecification: /^(s3|logs):|:(ImportTable|DescribeImport)$/,
    ContributorInsightsSpecification: /:UpdateContributorInsights$/,
    ResourcePolicy: /:(Put|Delete)ResourcePolicy$/,
    Replicas: /^iam:|TableReplica$|:(Scan|Query|(Update|Put|Get|Delete|BatchWrite)Item)$/,
    KMSMasterKeyId: /^kms:/,
  },
  'AWS::Glue::Database': { FederatedDatabase: /Connection$/ },
  'AWS::IAM::ManagedPolicy': { Groups: /GroupPolicy$/, Users: /UserPolicy$/, Roles: /RolePolicy$/ },
  'AWS::IAM::Role': { Description: /:UpdateRole(Description)?$/ },
  'AWS::KMS::Key': { Enabled: /:(En|Dis)ableKey$/ },
  'AWS::Lambda::EventSourceMapping': { KmsKeyArn: /^kms:/ },
  'AWS::Lambda::Function': {
    KmsKeyArn: /^kms:/,
    VpcConfig: /^ec2:/,
    FileSystemConfigs: /^(elasticfilesystem|s3files):/,
    CodeSigningConfigArn: /:(Get|Put)(Function)?CodeSigningConfig$/,
    Layers: /:GetLayerVersion$/,
    CapacityProviderConfig: /:PassCapacityProvider$/,
  },
  'AWS::Logs::LogGroup': {
    FieldIndexPolicies: /:(Put|Delete)IndexPolicy$/,
    DataProtectionPolicy: /^(s3|firehose):/,
    ResourcePolicyDocument: /:DeleteResourcePolicy$/,
  },
  'AWS::S3::Bucket': { MetadataTableConfiguration: /^s3tables:/, ReplicationConfiguration: /^iam:/ },
  'AWS::SNS::Subscription': { SubscriptionRoleArn: /^iam:/ },
  'AWS::SNS::Topic': { DeliveryStatusLogging: /^iam:/ },
  'AWS::WAFv2::WebACLAssociation': {
    RuleGroup: /PermissionPolicy$/,
    loadbalancer: /^elasticloadbalancing:/,
    appsync: /^appsync:/,
    userpool: /^cognito-idp:/,
    apprunner: /^apprunner:/,
    ec2: /^ec2:/,
    amplify: /^amplify:/,
    'bedrock-agentcore': /^bedrock-agentcore:/,
  },
}

/** Withheld on purpose. An administrator takes a boundary away. */
const WITHHELD = /^iam:DeleteRolePermissionsBoundary$/

test.each([
  ['the defaults', {}],
  ['every parameter set', EVERYTHING],
])('the deployer may all that the registry lists: %s', { skip }, async (_case, chosen) => {
  const template = await packagedTemplate('prod', chosen)
  const deployer = parse(readFileSync(`${root}infra/deployer.yml`, 'utf8'))
  const rights = new DeployerRights(template, deployer, stackTags('prod'))
  const calls = callsByType(template)

  const refused = Object.entries(template.Resources).flatMap(([name, { Type }]) =>
    (calls[Type] ?? []).flatMap((call) =>
      rights.allows(name, call) ? [] : [`${call.action} of ${name}, ${call.moment}`],
    ),
  )

  expect(Object.keys(calls).sort()).toEqual([...typesIn(template)].sort())
  expect(refused).toEqual([])
})

const typesIn = ({ Resources }: Template): Set<string> =>
  new Set(Object.values(Resources).map(({ Type }) => Type))

function callsByType(template: Template): Readonly<Record<string, HandlerCall[]>> {
  const types = typesIn(template)
  const isMeant = ({ name }: { name: string }) => [...types].some((type) => fileOf(type) === name)
  const files = unzipSync(readFileSync(REGISTRY), { filter: isMeant })
  return Object.fromEntries(
    Object.values(files).map((bytes) => {
      const schema: Handlers = JSON.parse(strFromU8(bytes))
      return [schema.typeName, neededCalls(schema, template)]
    }),
  )
}

const fileOf = (type: string): string => `${type.toLowerCase().replaceAll('::', '-')}.json`

function neededCalls({ typeName, handlers, tagging }: Handlers, { Resources }: Template): HandlerCall[] {
  const text = JSON.stringify(Object.values(Resources).filter(({ Type }) => Type === typeName))
  const unneeded = Object.entries(ONLY_WITH[typeName] ?? {}).flatMap(([part, actions]) =>
    text.includes(part) ? [] : [actions],
  )
  const called = Object.entries({ ...handlers, tagging: { permissions: tagging?.permissions ?? [] } })
  return called
    .filter(([handler]) => handler !== 'list')
    .flatMap(([handler, { permissions }]) =>
      permissions
        .filter((action) => !WITHHELD.test(action) && !unneeded.some((one) => one.test(action)))
        .map((action) => ({
          action,
          moment: handler === 'create' ? ('create' as const) : ('later' as const),
        })),
    )
}
