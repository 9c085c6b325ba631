import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { EVERYTHING } from '#test/template/everything.ts'
import { schemaComplaints } from '#test/template/schema.ts'
import { ofType, packagedTemplate } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

const plain = await packagedTemplate('prod')
const chosen = await packagedTemplate('prod', EVERYTHING)
const { Parameters: _, ...copies } = parse(readFileSync(`${root}infra/second-region.yml`, 'utf8'))

const text = (value: unknown) => JSON.stringify(value)
const properties = (name: string) => chosen.Resources[name]?.Properties

/** The value of a name of infra/second-region.yml for the stage prod. */
const ofProd = (name: { 'Fn::Sub': string }) => name['Fn::Sub'].replace(`\${Stage}`, 'prod')

test('without a second Region nothing is copied', () => {
  const types = Object.values(plain.Resources).map(({ Type }) => Type)

  expect(types.filter((type) => type.startsWith('AWS::Backup::'))).toEqual([])
  expect(plain.Resources['ArchiveBucket']?.Properties?.['ReplicationConfiguration']).toBeUndefined()
})

test('table and archive go to the vault and the bucket that an administrator made there', async () => {
  const { Vault, ArchiveCopy, Copier } = copies.Resources
  const vault = ofProd(Vault.Properties.BackupVaultName)
  const bucket = ofProd(ArchiveCopy.Properties.BucketName).replace(`\${AWS::Region}`, 'eu-west-1')
  const role = `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${ofProd(Copier.Properties.RoleName)}`

  expect(await schemaComplaints(copies)).toEqual([])
  expect(text(properties('CopyPlan'))).toContain(`"TargetBackupVault":"${vault}"`)
  expect(text(properties('CopyPlan'))).toContain(`backup:eu-west-1:\${AWS::AccountId}:backup-vault:${vault}"`)
  expect(properties('CopySelection')?.['BackupSelection']).toMatchObject({
    IamRoleArn: { 'Fn::Sub': role },
    Resources: [{ 'Fn::GetAtt': ['Table', 'Arn'] }],
  })
  const replication = text(properties('ArchiveBucket')?.['ReplicationConfiguration'])
  expect(replication).toContain(`"Role":{"Fn::Sub":"${role}"}`)
  expect(replication.split(`:s3:::${bucket}"`)).toHaveLength(4)
})

test('the same stage fits into a second Region of the account: what has a name of its own there, has the Region in it', () => {
  const NAMES = [
    ['AWS::CloudWatch::Dashboard', 'DashboardName'],
    ['AWS::IAM::ManagedPolicy', 'ManagedPolicyName'],
    ['AWS::IAM::Role', 'RoleName'],
    ['AWS::S3::Bucket', 'BucketName'],
  ] as const
  const names = NAMES.flatMap(([type, name]) => ofType(chosen, type).map(([, one]) => one[name]))
  const budget = text(properties('Budget'))

  expect(names.filter((name) => name !== undefined)).toEqual([{ 'Fn::Sub': `tollgate-prod-\${AWS::Region}` }])
  expect(budget).toContain(`"BudgetName":{"Fn::Sub":"tollgate-prod-\${AWS::Region}"}`)
})
