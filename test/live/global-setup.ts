import type { TestProject } from 'vitest/node'
import type { LiveInstallation } from './installation.ts'

/** The command `test:live` names the installation in TOLLGATE_LIVE. */
export function setup(project: TestProject): void {
  const live = JSON.parse(process.env['TOLLGATE_LIVE'] ?? 'null') as LiveInstallation | null
  if (!live) throw new Error('Run npm run test:live: it names the installation.')
  project.provide('live', live)
}
