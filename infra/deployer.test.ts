import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingsKey } from '#lib/settings/stored-settings.ts'
import { grants, type PolicyStatement } from '#test/template/access.ts'
import { danglingNames } from '#test/template/dangling-names.ts'
import { DeployerRights } from '#test/template/deployer-rights.ts'
import { EVERYTHING } from '#test/template/everything.ts'
import { handlerCalls, stackTags } from '#test/template/handler-actions.ts'
import { schemaComplaints } from '#test/template/schema.ts'
import { packagedTemplate, type Template } from '#test/template/template.ts'
import { stampOfNewTable } from '#tools/command-line/table-stamp.ts'
import { root } from '#tools/machine/program.ts'

const deployer = parse(readFileSync(`${root}infra/deployer.yml`, 'utf8')) as Template & { Parameters: object }
const stage = await packagedTemplate('prod')
const { Boundary: boundary = [], Deployer: role = [] } = grants(deployer)

const isCovered = (action: string, by: readonly PolicyStatement[]): boolean =>
  by.some(({ actions }) =>
    actions.some((one) => one === action || (one.endsWith('*') && action.startsWith(one.slice(0, -1)))),
  )

test('the deployer fits its schemas and has no reference to a missing resource', async () => {
  const { Parameters, ...template } = deployer

  expect(await schemaComplaints(template)).toEqual([])
  expect(danglingNames(template).map((one) => one.split(' ')[0])).toEqual(
    danglingNames(template).map(() => expect.toBeOneOf(Object.keys(Parameters))),
  )
})

test('the boundary allows the roles of a stage all that they need, and no escalation', () => {
  const needed = Object.entries(grants(stage))
    .filter(([name]) => name.endsWith('Role'))
    .flatMap(([, granted]) => granted.flatMap(({ actions }) => actions))

  expect(needed.filter((action) => !isCovered(action, boundary))).toEqual([])
  expect(
    boundary
      .flatMap(({ actions }) => actions)
      .filter((action) => /^(iam|sts|lambda:(?!InvokeFunction$))|\*/.test(action)),
  ).toEqual([])
})

/** The comparison of STS: the claims of a token, with the parameters of the stack. */
function isTrusted(claims: Readonly<Record<string, string>>): boolean {
  const given = JSON.stringify(deployer.Resources['Deployer']?.Properties?.['AssumeRolePolicyDocument'])
    .replaceAll('{"Ref":"RepositoryId"}', '"456789"')
    .replaceAll('{"Ref":"RepositoryOwnerId"}', '"123456"')
    .replaceAll('{"Ref":"Stage"}', '"prod"')
    .replace(/\{"Fn::Sub":"([^"]*)"\}/g, (_, text: string) =>
      JSON.stringify(text.replace(`\${Stage}`, 'prod')),
    )
  const { StringEquals, StringLike } = JSON.parse(given).Statement[0].Condition as Record<
    string,
    Record<string, string>
  >
  const claimOf = (key: string) => claims[key.replace('token.actions.githubusercontent.com:', '')] ?? ''
  return (
    Object.entries(StringEquals ?? {}).every(([key, value]) => claimOf(key) === value) &&
    Object.entries(StringLike ?? {}).every(([key, value]) =>
      new RegExp(`^${value.replaceAll('*', '.*')}$`).test(claimOf(key)),
    )
  )
}

/** A token of GitHub's identity provider for a job of the environment prod. */
const TOKEN = {
  aud: 'sts.amazonaws.com',
  sub: 'repo:octocat/tollgate:environment:prod',
  repository_id: '456789',
  repository_owner_id: '123456',
  environment: 'prod',
}

test.each<[string, object, boolean]>([
  ['the subject of an older repository', {}, true],
  ['the immutable subject', { sub: 'repo:octocat@123456/tollgate@456789:environment:prod' }, true],
  ['a renamed repository', { sub: 'repo:octocat@123456/billing@456789:environment:prod' }, true],
  ['another repository of the same name', { repository_id: '456790' }, false],
  ['another owner', { repository_owner_id: '123457' }, false],
  ['another environment', { sub: 'repo:octocat/tollgate:environment:dev', environment: 'dev' }, false],
  [
    'a job without an environment',
    { sub: 'repo:octocat/tollgate:ref:refs/heads/main', environment: '' },
    false,
  ],
  [
    'a branch that is named like the environment',
    { sub: 'repo:octocat/tollgate:ref:refs/heads/x:environment:prod', environment: '' },
    false,
  ],
  ['another audience', { aud: 'https://github.com/octocat' }, false],
])('the deployer trusts the right jobs: %s', (_case, claims, expected) => {
  expect(isTrusted({ ...TOKEN, ...claims })).toBe(expected)
})

test('a deployment creates, changes and passes only roles within the boundary', () => {
  const conditionOf = (asked: string) =>
    role.filter(({ actions }) => actions.includes(asked)).map(({ condition }) => condition)
  const widening = ['CreateRole', 'PutRolePolicy', 'AttachRolePolicy', 'PutRolePermissionsBoundary']

  for (const action of widening) {
    expect(conditionOf(`iam:${action}`), action).toEqual([
      { StringEquals: { 'iam:PermissionsBoundary': { Ref: 'Boundary' } } },
    ])
  }
  expect(conditionOf('iam:PassRole')).toEqual([
    {
      StringEquals: {
        'iam:PassedToService': [
          'apigateway.amazonaws.com',
          'lambda.amazonaws.com',
          'scheduler.amazonaws.com',
        ],
      },
    },
    { StringEqualsIfExists: { 'iam:PassedToService': ['backup.amazonaws.com', 's3.amazonaws.com'] } },
  ])
  const iam = role.flatMap(({ actions }) => actions).filter((action) => action.startsWith('iam:'))
  expect(iam.filter((action) => /\*|DeleteRolePermissionsBoundary|User|Group/.test(action))).toEqual([])
})

test.each(['deployer', 'on-call', 'second-region'])(
  'no resource of infra/%s.yml takes in a stage whose name begins like this one',
  (name) => {
    const granted = Object.values(grants(parse(readFileSync(`${root}infra/${name}.yml`, 'utf8')))).flat()
    const open = granted
      .flatMap(({ resources }) => resources)
      .filter((resource) => /\$\{Stage\}\*/.test(resource))

    expect([granted.length > 0, open]).toEqual([true, []])
  },
)

test('a deployer writes the stamp of a new table, and nothing else of an item', () => {
  const [written] = role.filter(({ actions }) => actions.includes('dynamodb:UpdateItem'))

  expect(Object(written?.condition)['ForAllValues:StringEquals']).toEqual({
    'dynamodb:LeadingKeys': [settingsKey.PK],
    'dynamodb:Attributes': [...Object.keys(settingsKey), ...Object.keys(stampOfNewTable), 'table_build'],
  })
})

test('a deployer can change neither the boundary nor itself', () => {
  // AWS alone says what a service-linked role may do.
  const changeable = role.filter(({ actions }) =>
    actions.some((action) => /^iam:(?!CreateServiceLinkedRole$|GetRole$|PassRole$)/.test(action)),
  )
  const names = changeable.flatMap(({ resources }) => resources)

  expect(names.filter((name) => !/:(role|policy)\/tollgate-\$\{Stage\}-\*"\}$/.test(name))).toEqual([])
  expect(deployer.Resources['Boundary']?.Properties?.['ManagedPolicyName']).toEqual({
    'Fn::Sub': `boundary-of-tollgate-\${Stage}`,
  })
  expect(deployer.Resources['Deployer']?.Properties?.['RoleName']).toEqual({
    'Fn::Sub': `deployer-of-tollgate-\${Stage}`,
  })
})

const templates = {
  'the defaults': stage,
  'every parameter set': await packagedTemplate('prod', EVERYTHING),
}

const refusedCalls = (template: Template, by: Template): string[] => {
  const rights = new DeployerRights(template, by, stackTags('prod'))
  return Object.entries(template.Resources).flatMap(([name, { Type }]) =>
    handlerCalls(Type)
      .filter((call) => !rights.allows(name, call))
      .map(({ action, moment }) => `${action} of ${name}, ${moment}`),
  )
}

test.each(Object.entries(templates))(
  'the deployer may create, read, change, tag and delete every resource of a stage: %s',
  (_case, template) => {
    expect(refusedCalls(template, deployer)).toEqual([])
  },
)

test('a missing right is noticed, also one whose condition cannot hold during creation', () => {
  const changed = (from: string, to: string) => JSON.parse(JSON.stringify(deployer).replaceAll(from, to))

  expect(refusedCalls(stage, changed('sqs:CreateQueue', 'sqs:AddPermission'))).toContain(
    'sqs:CreateQueue of RecordQueue, create',
  )
  expect(refusedCalls(stage, changed('iam:UpdateAssumeRolePolicy', 'iam:UpdateRole'))).toContain(
    'iam:UpdateAssumeRolePolicy of ReaderRole, later',
  )
  expect(refusedCalls(stage, changed('aws:RequestTag', 'aws:ResourceTag'))).toContain(
    'kms:TagResource of AlarmKey, create',
  )
  expect(
    refusedCalls(stage, changed(`schedule/default/tollgate-\${Stage}-*`, `schedule/default/other`)),
  ).toContain('scheduler:CreateSchedule of RetrySchedule, create')
})

test('only actions without a resource are allowed on all resources', () => {
  const broad = role.filter(({ resources, condition }) => resources.includes('*') && !condition)

  expect(broad.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([])
})
