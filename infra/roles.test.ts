import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '#tools/machine/program.ts'

const { Resources } = parse(readFileSync(`${root}infra/roles.yml`, 'utf8'), { merge: true })

type Statement = { Action: string[] }
type Policy = { PolicyDocument: { Statement: Statement[] } }

const actionsOf = (role: string): string[] =>
  Resources[role].Properties.Policies.flatMap(({ PolicyDocument }: Policy) =>
    PolicyDocument.Statement.flatMap(({ Action }) => Action),
  ).filter((action: string) => action.startsWith('dynamodb:'))

test.each([
  ['BystanderRole', []],
  ['ReaderRole', ['BatchGetItem', 'Query', 'UpdateItem']],
  ['LoginRole', ['BatchGetItem', 'Query', 'UpdateItem']],
  [
    'ConsoleWriterRole',
    ['BatchGetItem', 'Query', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'],
  ],
  [
    'AccountWriterRole',
    ['BatchGetItem', 'Query', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem'],
  ],
  ['PaymentWriterRole', ['BatchGetItem', 'Query', 'ConditionCheckItem', 'PutItem', 'UpdateItem']],
  ['WriterRole', ['BatchGetItem', 'Query', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem']],
  [
    'SuspenseRole',
    ['BatchGetItem', 'Query', 'ConditionCheckItem', 'DeleteItem', 'PutItem', 'UpdateItem', 'BatchWriteItem'],
  ],
])('%s may do only these actions with the table', (role, actions) => {
  expect(actionsOf(role)).toEqual(actions.map((action) => `dynamodb:${action}`))
})
