import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { PERMISSIONS } from '#lib/base/account-types.ts'
import { anchorOf } from '#tools/contracts/generated-files.ts'
import { root } from '#tools/machine/program.ts'

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'console/README.md', 'bench/results.md'],
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const textOf = (page: string): string => readFileSync(root + page, 'utf8')

const anchorsIn = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

/** True if a link of a page leads to a file of the repository, and to a heading in it if it names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(root + target)) return false
  return anchor === undefined || !target.endsWith('.md') || anchorsIn(target).includes(anchor)
}

test.each(PAGES)('every link of %s leads to a file and a heading', (page) => {
  const links = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const dead = links.filter((link) => !/^(https?|mailto):/.test(link) && !leadsSomewhere(page, link))

  expect(dead).toEqual([])
})

const LONG_PAGE_LINES = 400

const LONG_PAGES = PAGES.filter(
  (page) => page !== 'CHANGELOG.md' && textOf(page).split('\n').length > LONG_PAGE_LINES,
)

test.each(LONG_PAGES)('%s opens with its contents', (page) => {
  const [opening = '', ...sections] = textOf(page).split(/^## (?!All methods)/m)
  const missing = sections
    .map((section) => section.split('\n', 1)[0] ?? '')
    .filter((heading) => !opening.includes(`](#${anchorOf(heading)})`))

  expect(missing).toEqual([])
})

test.each(PERMISSIONS)('SECURITY.md has a row for the permission %s', (permission) => {
  expect(textOf('SECURITY.md')).toMatch(
    new RegExp(`^\\| the permission \`${permission}\` \\| \\S.* \\| \\S.* \\|$`, 'm'),
  )
})

test('the README fits on a screen or two', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(110)
})

test.each(PAGES)('%s names no tag of a version: commands take the one that the reader sets', (page) => {
  expect(textOf(page).match(/\bv\d+\.\d+\.\d+\b/g) ?? []).toEqual([])
})
