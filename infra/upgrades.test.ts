import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  type KeptTemplate,
  keptReleases,
  presentTemplate,
  readKeptTemplate,
  upgradeProblems,
} from '#test/template/upgrade.ts'
import { root } from '#tools/machine/program.ts'

const present = await presentTemplate()

describe.each(keptReleases())('a stage of %s', (release) => {
  test('is updated to this version, and loses nothing', () => {
    expect(upgradeProblems(readKeptTemplate(release), present)).toEqual([])
  })

  test('is brought back to it, and loses only what docs/deployment.md names', () => {
    const docs = readFileSync(`${root}docs/deployment.md`, 'utf8')
    const problems = upgradeProblems(present, readKeptTemplate(release))
    const removed = problems.flatMap((one) => /^(.+) is removed$/.exec(one)?.[1] ?? [])
    // An earlier version lacks outputs of a later one. Only those that other stacks import would be missed.
    const isNamed = (id: string) =>
      docs.includes(`\`${id}\``) || (present[id]?.type === 'output' && !present[id].properties)

    expect(problems).toEqual(removed.map((id) => `${id} is removed`))
    expect(removed.filter((id) => !isNamed(id))).toEqual([])
  })
})

test('a type that changes under one id is refused, as from 1b68ee31 to 9ec3a850', () => {
  const change = 'was AWS::Events::Rule and is AWS::Scheduler::Schedule'

  expect(upgradeProblems(readKeptTemplate('1b68ee31'), readKeptTemplate('9ec3a850'))).toEqual([
    `DailyArchive ${change}`,
    `HourlyRetry ${change}`,
    `HourlySums ${change}`,
  ])
})

test('a new id under the name of another one is refused: it is created before the other is deleted', () => {
  const { HourlySums, ...others } = readKeptTemplate('9ec3a850')
  const renamed = { ...others, ...(HourlySums && { Sums: HourlySums }) }

  expect(upgradeProblems(readKeptTemplate('9ec3a850'), renamed)).toEqual([
    'Sums takes the name of HourlySums: AWS::Scheduler::Schedule ["tollgate-prod-hourly-sums"]',
  ])
})

const FUNCTION = { type: 'AWS::Lambda::Function', properties: { FunctionName: 'f' } }
const QUEUE = { type: 'AWS::SQS::Queue' }
const TABLE = { type: 'AWS::DynamoDB::Table', properties: { KeySchema: [1] }, indexes: ['a'] }
const MAPPING = { type: 'AWS::Lambda::EventSourceMapping', properties: { EventSourceArn: { Ref: 'Q' } } }
const BUCKET = { type: 'AWS::S3::Bucket', properties: { BucketName: 'b' } }
const EXPORTED_ROLE = { type: 'output', properties: { 'Export.Name': 'x', Value: { Ref: 'R' } } }
const PACKAGED = { ...FUNCTION, properties: { ...FUNCTION.properties, PackageType: 'Image' } }

const refused: [string, KeptTemplate, KeptTemplate, string[]][] = [
  ['a queue is removed', { Q: QUEUE }, {}, ['Q is removed']],
  [
    'a named function is packaged in another way',
    { F: FUNCTION },
    { F: PACKAGED },
    ['F keeps its name and has another PackageType'],
  ],
  [
    'a table has two more indexes',
    { T: TABLE },
    { T: { ...TABLE, indexes: ['a', 'b', 'c'] } },
    ['T adds or deletes several indexes'],
  ],
  [
    'a bucket has another name',
    { B: BUCKET },
    { B: { ...BUCKET, properties: { BucketName: 'c' } } },
    ['B is replaced for another BucketName'],
  ],
  [
    'a table has another key',
    { T: TABLE },
    { T: { ...TABLE, properties: { KeySchema: [2] } } },
    ['T is replaced for another KeySchema'],
  ],
  ['an output is removed', { 'output O': { type: 'output' } }, {}, ['output O is removed']],
  [
    'an export has the value of a replaced resource',
    { R: { type: 'AWS::IAM::Role', properties: { Path: '/a/' } }, 'output O': EXPORTED_ROLE },
    { R: { type: 'AWS::IAM::Role', properties: { Path: '/b/' } }, 'output O': EXPORTED_ROLE },
    ['output O is replaced for another Value'],
  ],
  [
    'another output is exported under a name in use',
    { 'output O': EXPORTED_ROLE },
    { 'output O': { type: 'output' }, 'output P': EXPORTED_ROLE },
    ['output O is replaced for another Export.Name', 'output P takes the name of output O: output ["x"]'],
  ],
  [
    'a second policy is about one queue',
    { P: { type: 'AWS::SQS::QueuePolicy', properties: { Queues: [{ Ref: 'Q' }] } } },
    { R: { type: 'AWS::SQS::QueuePolicy', properties: { Queues: [{ Ref: 'Q' }] } } },
    ['R takes the name of P: AWS::SQS::QueuePolicy [[{"Ref":"Q"}]]'],
  ],
  [
    'a mapping of one function reads a replaced queue',
    { Q: { ...QUEUE, properties: { FifoQueue: true } }, M: MAPPING },
    { Q: QUEUE, M: MAPPING },
    ['Q is replaced for another FifoQueue'],
  ],
]

test.each(refused)('is refused: %s', (_case, before, after, problems) => {
  expect(upgradeProblems(before, after)).toEqual(problems)
})

test('what has no fixed name is removed and replaced at will', () => {
  const role = (Path: string) => ({ type: 'AWS::IAM::Role', properties: { Path } })

  expect(upgradeProblems({ R: role('/a/'), S: role('/') }, { R: role('/b/') })).toEqual([])
})
