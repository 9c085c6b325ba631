import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '#lib/local/location.ts'
import { table, tableDefinition } from '#lib/store/table.ts'

const { Type, DeletionPolicy, Properties } = parse(readFileSync(`${root}infra/table.yml`, 'utf8')).Resources
  .Table

test('the deployed table is the one the code and the embedded engine know', () => {
  const { TableName, ...definition } = tableDefinition('any')

  expect(Properties).toMatchObject(definition)
  expect(Properties.TimeToLiveSpecification).toEqual({ AttributeName: table.timeToLive, Enabled: true })
})

test('nothing that happens to the stack takes the data with it', () => {
  expect([Type, DeletionPolicy, Properties.DeletionProtectionEnabled]).toEqual([
    'AWS::DynamoDB::Table',
    'Retain',
    true,
  ])
  expect(Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true })
})
