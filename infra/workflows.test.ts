import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '#lib/local/root.ts'

const folder = `${root}.github/workflows/`
const workflows = readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')] as const)

test.each(workflows)('%s uses actions by their commit, and may by itself only read', (_name, text) => {
  const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action)

  expect(uses.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action))).toEqual([])
  expect(parse(text).permissions).toEqual({ contents: 'read' })
  expect(text).not.toMatch(/AWS_ACCESS_KEY_ID|AWS_SECRET/)
})
