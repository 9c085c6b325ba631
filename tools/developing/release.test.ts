import { expect, test } from 'vitest'
import { withHeading } from './release.ts'

const EARLIER = '## [1.0.0] - 2026-11-22\n\nThe first.\n'

test('a release gets a heading above what was unreleased', () => {
  expect(withHeading(`# Changelog\n\n## [Unreleased]\n\n- A.\n\n${EARLIER}`, '1.1.0', '2027-01-31')).toBe(
    `# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2027-01-31\n\n- A.\n\n${EARLIER}`,
  )
})

test('a release without changes is refused', () => {
  expect(() => withHeading(`## [Unreleased]\n\n${EARLIER}`, '1.1.0', '2027-01-31')).toThrow(
    'nothing to release',
  )
})
