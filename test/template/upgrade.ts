import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadAwsServiceSpec } from '@aws-cdk/aws-service-spec'
import { root } from '#tools/machine/program.ts'
import { EVERYTHING } from './everything.ts'
import { packagedTemplate, type Template, type TemplateResource } from './template.ts'

/** Programs read outputs by name, and other stacks import those that are exported. */
const OUTPUT = 'output'

/**
 * The facts that CloudFormation decides an update by, in data/templates/ for each release: the properties
 * that name a resource, or whose change replaces it.
 */
interface KeptResource {
  readonly type: string
  readonly properties?: Fields
  /** The indexes of a table: an update adds or deletes one of them. */
  readonly indexes?: readonly string[]
}

export type KeptTemplate = Readonly<Record<string, KeptResource>>

type Fields = Readonly<Record<string, unknown>>

/**
 * Names that the registry does not call the primary identifier: it has a generated one there. Two resources
 * of one such name are refused by the service, or, with policies, the removal of one takes the other's text
 * away. A blank list: any number may be equal.
 */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Account': ['CloudWatchRoleArn'],
  'AWS::ApiGateway::BasePathMapping': ['DomainName', 'BasePath'],
  'AWS::ApiGateway::Deployment': [],
  'AWS::ApiGateway::GatewayResponse': ['RestApiId', 'ResponseType'],
  'AWS::ApiGateway::Method': ['RestApiId', 'ResourceId', 'HttpMethod'],
  'AWS::ApiGateway::Resource': ['RestApiId', 'ParentId', 'PathPart'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::Backup::BackupPlan': [],
  'AWS::Backup::BackupSelection': [],
  'AWS::Budgets::Budget': ['Budget.BudgetName'],
  'AWS::Events::Rule': ['Name'],
  'AWS::Glue::Database': ['DatabaseInput.Name'],
  'AWS::Glue::Table': ['DatabaseName', 'TableInput.Name'],
  'AWS::IAM::ManagedPolicy': ['ManagedPolicyName'],
  'AWS::KMS::Key': [],
  'AWS::Lambda::EventSourceMapping': ['FunctionName', 'EventSourceArn'],
  'AWS::Lambda::Permission': [],
  'AWS::SES::ConfigurationSetEventDestination': ['ConfigurationSetName', 'EventDestination.Name'],
  'AWS::SNS::Subscription': ['TopicArn', 'Protocol', 'Endpoint'],
  'AWS::SNS::Topic': ['TopicName'],
  'AWS::SNS::TopicPolicy': ['Topics'],
  'AWS::SQS::Queue': ['QueueName'],
  'AWS::SQS::QueuePolicy': ['Queues'],
  'AWS::WAFv2::WebACL': ['Name', 'Scope'],
}

/** A replacement of these loses what they hold, or the address that clients have of them. */
const HOLDERS = [
  OUTPUT,
  'AWS::ApiGateway::RestApi',
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::SQS::Queue',
]

const schemas = await loadAwsServiceSpec()

/**
 * The properties that name a resource of the type, and those whose change replaces it, by CloudFormation's
 * registry.
 */
function rulesOf(type: string): { readonly names: readonly string[]; readonly fixed: readonly string[] } {
  if (type === OUTPUT) return { names: ['Export.Name'], fixed: ['Export.Name', 'Value'] }
  const [schema] = schemas.lookup('resource', 'cloudFormationType', 'equals', type)
  if (!schema) throw new Error(`${type} is an unknown type`)
  const { properties, primaryIdentifier = [] } = schema
  const names = NAMES[type] ?? primaryIdentifier
  if (!NAMES[type] && !primaryIdentifier.every((name) => name in properties))
    throw new Error(`Add to NAMES what makes a resource of ${type} unique`)
  return {
    names,
    fixed: Object.keys(properties).filter((name) =>
      ['yes', 'maybe'].includes(properties[name]?.causesReplacement ?? ''),
    ),
  }
}

/**
 * The kept facts of templates with different parameters, together. Each deployment of the API has an id of
 * its own.
 */
export const keptTemplate = (...templates: readonly Template[]): KeptTemplate =>
  Object.fromEntries(
    templates
      .flatMap(({ Resources, Outputs }) => [...Object.entries(Resources), ...outputsOf(Outputs)])
      .filter(([, { Type }]) => Type !== 'AWS::ApiGateway::Deployment')
      .map(([id, resource]) => [id, keptResource(resource)]),
  )

/** The value of an output without an export may change. */
const outputsOf = (outputs: Template['Outputs']): [string, TemplateResource][] =>
  Object.entries(outputs).map(([name, { Export, Value }]) => [
    `${OUTPUT} ${name}`,
    { Type: OUTPUT, Properties: Export ? { Export, Value } : {} },
  ])

const FOLDER = `${root}data/templates/`

/** Releases, and commits that were deployed before there were releases. */
export const keptReleases = (): string[] => readdirSync(FOLDER).map((name) => name.replace(/\.json$/, ''))

export const readKeptTemplate = (release: string): KeptTemplate =>
  JSON.parse(readFileSync(`${FOLDER}${release}.json`, 'utf8'))

/** A resource in each line. */
export const writeKept = (release: string, kept: KeptTemplate): Promise<void> => {
  const lines = Object.entries(kept).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '))
  return writeFile(`${FOLDER}${release}.json`, `{\n${lines.sort().join(',\n')}\n}\n`)
}

/** The template of the checkout, with the defaults of `prod` and with every parameter. */
export const presentTemplate = async (): Promise<KeptTemplate> =>
  keptTemplate(await packagedTemplate('prod'), await packagedTemplate('prod', EVERYTHING))

function keptResource({ Type: type, Properties = {} }: TemplateResource): KeptResource {
  const { names, fixed } = rulesOf(type)
  const kept = [...new Set([...names, ...fixed])]
    .map((path) => [path, valueAt(Properties, path)] as const)
    .filter(([, value]) => value !== undefined)
  const indexes = Properties['GlobalSecondaryIndexes'] as Fields[] | undefined
  return {
    type,
    ...(kept.length > 0 && { properties: Object.fromEntries(kept) }),
    ...(indexes && {
      indexes: indexes.map(({ IndexName, KeySchema, Projection }) =>
        JSON.stringify([IndexName, KeySchema, Projection]),
      ),
    }),
  }
}

const valueAt = (fields: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Fields | undefined)?.[key], fields)

/** The name that no other resource of the type may have; `undefined` if CloudFormation makes up a part. */
function nameOf({ type, properties = {} }: KeptResource): string | undefined {
  const name = rulesOf(type).names.map((path) => properties[path])
  return name.length === 0 || name.includes(undefined) ? undefined : `${type} ${JSON.stringify(name)}`
}

/**
 * Why CloudFormation refuses the update of a stack from one template to the other, and what the update
 * loses; a line each. From the User Guide: "Update behaviors of stack resources" (a replacement is created
 * before its predecessor is deleted), "Name type" (a resource with a name of yours cannot be replaced under
 * it), and what an update of each property requires.
 */
export function upgradeProblems(before: KeptTemplate, after: KeptTemplate): string[] {
  const replaced = replacedIn(before, after)
  const owners = new Map(Object.entries(before).map(([id, one]) => [nameOf(one), id]))
  const fromBefore = Object.entries(before).flatMap(([id, old]) =>
    problemsOf(id, old, after[id], replaced.get(id)),
  )
  const taken = Object.entries(after).flatMap(([id, next]) => {
    const name = nameOf(next)
    const owner = name && owners.get(name)
    return owner && owner !== id ? [`${id} takes the name of ${owner}: ${name}`] : []
  })
  return [...fromBefore, ...taken]
}

function problemsOf(
  id: string,
  old: KeptResource,
  next: KeptResource | undefined,
  replacedFor: string | undefined,
): string[] {
  const isHolder = HOLDERS.includes(old.type)
  if (!next) return isHolder ? [`${id} is removed`] : []
  if (next.type !== old.type) return [`${id} was ${old.type} and is ${next.type}`]
  if (differences(old.indexes, next.indexes) > 1) return [`${id} adds or deletes several indexes`]
  if (replacedFor === undefined) return []
  if (isHolder) return [`${id} is replaced for another ${replacedFor}`]
  const isNamed = nameOf(old) !== undefined && nameOf(old) === nameOf(next)
  return isNamed ? [`${id} keeps its name and has another ${replacedFor}`] : []
}

function differences(before: readonly string[] = [], after: readonly string[] = []): number {
  return [...before.filter((one) => !after.includes(one)), ...after.filter((one) => !before.includes(one))]
    .length
}

/**
 * The resources that an update replaces, each with the property to blame. What refers to one of them gets
 * another value.
 */
function replacedIn(before: KeptTemplate, after: KeptTemplate): ReadonlyMap<string, string> {
  const replaced = new Map<string, string>()
  const isChanged = (one: unknown, other: unknown) =>
    JSON.stringify(one) !== JSON.stringify(other) || [...replaced.keys()].some((id) => refersTo(other, id))
  let known = -1
  while (known !== replaced.size) {
    known = replaced.size
    for (const [id, { type, properties: old = {} }] of Object.entries(before)) {
      const next = after[id]
      if (next?.type !== type) continue
      const property = rulesOf(type).fixed.find((name) => isChanged(old[name], next.properties?.[name]))
      if (property) replaced.set(id, property)
    }
  }
  return replaced
}

function refersTo(value: unknown, id: string): boolean {
  const text = JSON.stringify(value) ?? ''
  return [`{"Ref":"${id}"}`, `{"Fn::GetAtt":["${id}",`, `\${${id}}`, `\${${id}.`].some((form) =>
    text.includes(form),
  )
}
