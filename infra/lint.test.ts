import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EVERYTHING } from '#test/template/everything.ts'
import { packagedTemplate } from '#test/template/template.ts'
import { root } from '#tools/machine/program.ts'

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

/** Half a minute for each template: a job of each change lints them (check.yml). */
const skip = !process.env['TOLLGATE_NEEDS_CFN_LINT']

test('cfn-lint has nothing to say of the deployer, of who is on call, of copies and of what is packaged', {
  skip,
}, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-lint-'))
  const files = templates.map(([stage, template]) => {
    const file = join(folder, `${stage.replaceAll(' ', '-')}.json`)
    writeFileSync(file, JSON.stringify(template))
    return file
  })
  const words = [
    '--regions',
    'eu-central-1',
    '--template',
    `${root}infra/deployer.yml`,
    `${root}infra/on-call.yml`,
    `${root}infra/second-region.yml`,
    ...files,
  ]
  const { status, stdout, stderr } = spawnSync('cfn-lint', words, { encoding: 'utf8' })

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
})
