import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { packagedTemplate } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

const { lossesOf, linesOf } = createRequire(import.meta.url)('./guard-stack.cjs')
const { stackPolicy } = parse(readFileSync(`${root}serverless.yml`, 'utf8')).provider

const change = (LogicalResourceId: string, type: string, Action: string, Replacement?: string) => ({
  ResourceChange: { LogicalResourceId, ResourceType: `AWS::${type}`, Action, Replacement },
})

const CHANGES = [
  change('Table', 'DynamoDB::Table', 'Modify', 'True'),
  change('FileQueue', 'SQS::Queue', 'Remove'),
  change('RecordQueue', 'SQS::Queue', 'Modify', 'False'),
  change('ImportBucket', 'S3::Bucket', 'Modify', 'Conditional'),
  change('SmsGetLambdaFunction', 'Lambda::Function', 'Remove'),
  change('NewQueue', 'SQS::Queue', 'Add'),
]

test('a change set that loses data or an address is refused, and says what it is', () => {
  expect(lossesOf(CHANGES, stackPolicy)).toEqual(['Table', 'FileQueue'])
  expect(linesOf(CHANGES)).toEqual([
    'The change set adds 1 resources, changes 3 and removes 2.',
    '  replaces Table (AWS::DynamoDB::Table)',
    '  removes FileQueue (AWS::SQS::Queue)',
    '  may replace ImportBucket (AWS::S3::Bucket)',
    '  removes SmsGetLambdaFunction (AWS::Lambda::Function)',
  ])
})

test("the stack policy keeps all that outlives the stack, but logs and an account's singletons", async () => {
  const { Resources } = await packagedTemplate('prod')
  const kept = Object.values(Resources).filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete')
  const types = new Set(kept.map(({ Type }) => Type))
  const [allowed, denied] = stackPolicy

  expect(allowed).toEqual({ Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' })
  expect(denied).toMatchObject({ Effect: 'Deny', Action: ['Update:Delete', 'Update:Replace'] })
  expect(
    [...types].filter((type) => !denied.Condition.StringEquals.ResourceType.includes(type)).sort(),
  ).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Logs::LogGroup'])
})
