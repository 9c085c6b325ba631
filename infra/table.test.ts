import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { table } from '#lib/table/table.ts'
import { root } from '#tools/machine/program.ts'
import { tableDefinition } from '#tools/server/table-definition.ts'

const { Type, DeletionPolicy, Properties } = parse(readFileSync(`${root}infra/table.yml`, 'utf8')).Resources
  .Table

test('the deployed table is the table of the code and of the embedded engine', () => {
  const { TableName, ...definition } = tableDefinition('any')

  expect(Properties).toMatchObject(definition)
  expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: table.timeToLive, Enabled: true })
})

test('the table survives any change of the stack', () => {
  expect([Type, DeletionPolicy, Properties.DeletionProtectionEnabled]).toEqual([
    'AWS::DynamoDB::Table',
    'Retain',
    true,
  ])
  expect(Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true })
})
