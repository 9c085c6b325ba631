import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/location.ts'
import { EVERYTHING } from './template/everything.ts'
import { packagedTemplate } from './template/template.ts'

const templates = [
  ['prod', await packagedTemplate('prod')],
  ['prod with every parameter', await packagedTemplate('prod', EVERYTHING)],
  ['dev', await packagedTemplate('dev')],
] as const

test.each(templates)('no value of the template is blank: %s', (_stage, { Resources }) => {
  expect(blankPlaces(Resources)).toEqual([])
})

/** A blank value is what an unset parameter leaves behind. The separator of Fn::Join may be blank. */
const blankPlaces = (value: unknown, place = ''): string[] => {
  if (value === '') return place.endsWith('.Fn::Join.0') ? [] : [place]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, field]) => blankPlaces(field, `${place}.${key}`))
}

const isInstalled = spawnSync('cfn-lint', ['--version']).status === 0
const skip = !isInstalled && !process.env['TOLLGATE_NEEDS_CFN_LINT']

const lint = (file: string) =>
  spawnSync('cfn-lint', ['--regions', 'eu-central-1', '--template', file], { encoding: 'utf8' }).stdout

test.each(templates)('cfn-lint has nothing to say of %s', { skip }, (_stage, template) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lint-'))
  const file = join(folder, 'template.json')
  writeFileSync(file, JSON.stringify(template))

  expect(lint(file)).toBe('')
  rmSync(folder, { recursive: true })
})

test('cfn-lint has nothing to say of the deployer', { skip }, () => {
  expect(lint(`${root}infra/deployer.yml`)).toBe('')
})
