import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The folder for what tests show, shared by both projects' workers and removed with the process. */
const evidence = process.env['TOLLGATE_EVIDENCE'] ?? mkdtempSync(join(tmpdir(), 'tollgate-evidence-'))
process.env['TOLLGATE_EVIDENCE'] = evidence
process.on('exit', () => rmSync(evidence, { recursive: true, force: true }))

/** Long ones, over everything: `npm run sweep` (vitest.sweep.config.ts). */
export const SWEEPS = '{functions,lib,tools,test}/**/*.sweep.test.ts'

/** What starts programs, browsers or linters: `npm run sweep`, too. */
const PROCESSES = '{console,infra,lib,test,tools}/**/*.process.test.ts'

/** Tests over what the other tests have done: they run when those are through. */
const AFTERWARDS = '{infra,test}/**/*.afterwards.test.ts'

/** These begin first, as the last one decides a run's time. Vitest begins with the largest files. */
const LONGEST =
  /\/(parse|hostile-values|pages|first-call|field-lengths)\.sweep|\/(console|empty-list|start|smoke|tollgate)\.process|\/(acts|simulation)\.test/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.sort(
      (one, other) => Number(LONGEST.test(other.moduleId)) - Number(LONGEST.test(one.moduleId)),
    )
  }
}

export const everyTest = {
  sequence: { sequencer: LongestFirst },
  env: {
    AWS_REGION: 'local',
    TOLLGATE_EVIDENCE: evidence,
  },
  // No test is decided by time: this only ends one that hangs, on a machine as busy as it may be.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 200_000 } },
  // One more than there are cores, for each also waits: for the engine, or as AWS's client does between
  // attempts. Each loads the sources once. What a file leaves behind in its process, the next one finds:
  // stubs are taken back before the next test.
  maxWorkers: availableParallelism() + 1,
  isolate: false,
  // Node runs the sources itself, as in the program: a simulation takes 0.7 of its time in Vite's modules.
  experimental: { viteModuleRunner: false },
  setupFiles: ['./test/own-environment.ts'],
  unstubEnvs: true,
  unstubGlobals: true,
  restoreMocks: true,
}

const globalSetup = './test/global-setup.ts'

export const processes: TestProjectInlineConfiguration = {
  extends: true,
  test: { name: 'processes', include: [PROCESSES], globalSetup },
}

/** `npm test` leaves the processes out; `npx vitest run FILE` runs any file but a sweep. */
export default defineConfig({
  test: {
    ...everyTest,
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          env: { TOLLGATE_STARTS: 'nothing' },
          include: ['{bench,console,functions,infra,lib,test,tools}/**/*.test.ts'],
          exclude: [AFTERWARDS, PROCESSES, SWEEPS],
          globalSetup,
        },
      },
      processes,
      {
        extends: true,
        test: { name: 'afterwards', include: [AFTERWARDS], sequence: { groupOrder: 1 } },
      },
    ],
  },
})
