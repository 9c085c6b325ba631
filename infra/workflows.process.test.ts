import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '#tools/machine/program.ts'
import packageJson from '../package.json' with { type: 'json' }

const folder = `${root}.github/workflows/`
const workflows = readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')] as const)

test.each(workflows)('%s pins actions to commits, and has only read permission by default', (_name, text) => {
  const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action)

  expect(uses.filter((action) => !/^\.\/|@[0-9a-f]{40}$/.test(action))).toEqual([])
  expect(parse(text).permissions).toEqual({ contents: 'read' })
  expect(text).not.toMatch(/AWS_ACCESS_KEY_ID|AWS_SECRET/)
})

const fileOf = (name: string) => workflows.find(([file]) => file === name)?.[1] ?? ''

test('deployed packages are audited with each change and each week', () => {
  const { on, jobs } = parse(fileOf('audit.yml'))

  expect(Object.keys(on)).toEqual(expect.arrayContaining(['push', 'pull_request', 'schedule']))
  expect(jobs.dependencies.steps.at(-1)).toEqual({ run: 'npm audit --omit=dev --audit-level=high' })
})

test('packages and actions are updated each week', () => {
  const { updates } = parse(readFileSync(`${root}.github/dependabot.yml`, 'utf8'))
  const weekly = { directory: '/', schedule: { interval: 'weekly' } }

  expect(updates).toMatchObject(
    ['npm', 'github-actions'].map((ecosystem) => ({ 'package-ecosystem': ecosystem, ...weekly })),
  )
})

test('a deployment is tested at the address of the clients, with the key of its table', () => {
  const { steps } = parse(fileOf('deploy-stage.yml')).jobs.deploy

  expect(steps.at(-1).run).toContain('select(.OutputKey == "ApiUrl")')
  expect(steps.at(-1).run).toContain('npx tollgate smoke "$url" --table "$table"')
})

const { package: packaging, judge } = parse(fileOf('check.yml')).jobs
const deploying = parse(fileOf('deploy-stage.yml')).jobs.deploy
const releasing = parse(fileOf('release.yml')).jobs.release

const commandsOf = ({ steps }: { steps: { run?: string }[] }) => steps.flatMap(({ run }) => run ?? [])

test('dev, prod and a release get the archive that was judged, by its id, and build nothing', () => {
  const stages = { ...parse(fileOf('deploy.yml')).jobs, prod: parse(fileOf('release.yml')).jobs.prod }
  const id = `\${{ needs.check.outputs.packages }}`
  const taken = [judge, deploying, releasing].map(({ steps }) =>
    steps.flatMap((step: { uses?: string; with: object }) =>
      step.uses?.startsWith('actions/download-artifact@') ? [step.with] : [],
    ),
  )

  expect([stages.dev.with.packages, stages.prod.with.packages]).toEqual([id, id])
  expect(taken).toEqual(
    [`\${{ needs.package.outputs.id }}`, `\${{ inputs.packages }}`, id].map((artifact) => [
      { 'artifact-ids': artifact, 'digest-mismatch': 'error' },
    ]),
  )
  expect(commandsOf(releasing).join()).not.toMatch(/npm (ci|run|install)/)
  expect(commandsOf(deploying)).toContain(
    'npm run deploy -- --stage "$STAGE" --region "$AWS_REGION" --package "package-$STAGE"',
  )
})

test('the functions are packaged once, for both stages', () => {
  const packages = commandsOf(packaging).filter((one) => one.startsWith('npm run package'))

  expect(packages).toEqual([
    'npm run package -- --stage dev --region "$AWS_REGION" && mv .serverless package-dev',
    'npm run package -- --stage prod --region "$AWS_REGION" --functions-of package-dev && mv .serverless package-prod',
  ])
})

test.each([
  ['packages', packaging],
  ['may deploy', deploying],
])(
  'the job that %s installs what the lock file names, runs no script of it, and reads no cache',
  (_, job) => {
    const commands = commandsOf(job)

    expect(commands.filter((one) => /npm (ci|i|install)|npx|pip/.test(one) && !/tollgate/.test(one))).toEqual(
      ['npm ci --ignore-scripts'],
    )
    expect(commands).toEqual(expect.arrayContaining(['rm -f node_modules/.bin/node', 'npm audit signatures']))
    expect(JSON.stringify(job)).toContain('"package-manager-cache":false')
  },
)

test('judges take the archive of the job before, and hand nothing on', () => {
  expect(judge.needs).toBe('package')
  expect(commandsOf(judge)).toEqual(
    expect.arrayContaining([
      'infra/deploy-to-moto.sh package-dev',
      expect.stringMatching(/^cfn-lint .*--template package-\*\//),
    ]),
  )
  for (const job of [judge, parse(fileOf('check.yml')).jobs.peers])
    expect(JSON.stringify(job)).not.toMatch(/npm run package|upload-artifact/)
})

const BEGUN = '[{"state":"success"},{"state":"in_progress"}]'

/** Runs the step that compares commits, with a `gh` that answers about one earlier deployment to prod. */
function refusal(statuses: string, relation: string, sha = 'earlier') {
  const { run } = deploying.steps[0]
  const gh = `gh() {
    case "$2" in
      */statuses) answer=$STATUSES ;;
      */compare/*) answer="{\\"status\\":\\"$RELATION\\"}" ;;
      *) answer="[{\\"id\\":7,\\"sha\\":\\"$DEPLOYED\\"}]" ;;
    esac
    jq -r "$4" <<< "$answer"
  }`
  const given = { STATUSES: statuses, RELATION: relation, DEPLOYED: sha, STAGE: 'prod', GITHUB_SHA: 'this' }
  const env = { ...process.env, ...given, GITHUB_REPOSITORY: 'a/b' }
  return spawnSync('bash', ['-e', '-c', `${gh}\n${run}`], { env, encoding: 'utf8' })
}

test.each([
  ['a newer commit is deployed', BEGUN, 'ahead', 0],
  ['an older commit is refused after a newer one', BEGUN, 'behind', 1],
  ['so is one of another history', BEGUN, 'diverged', 1],
  ['a newer one that waits for its approval is no reason', '[{"state":"waiting"}]', 'behind', 0],
])('an approval that comes late deploys nothing old: %s', (_case, statuses, relation, status) => {
  const { stdout, status: code } = refusal(statuses, relation)

  expect(code).toBe(status)
  expect(stdout.includes('prod has got earlier already')).toBe(status === 1)
})

test('the same commit is deployed again, and a list that cannot be read deploys nothing', () => {
  expect(refusal(BEGUN, 'identical', 'this').status).toBe(0)
  expect(refusal('no JSON', 'ahead').status).not.toBe(0)
})

test('what fails the check is not tested, the tests install nothing, and packages wait for no job', () => {
  const { lint, test: testing, package: packages, peers } = parse(fileOf('check.yml')).jobs

  expect(lint.steps.at(-1)).toEqual({ run: 'npm run check' })
  expect([testing.needs, packages.needs, peers.needs]).toEqual(['lint', undefined, undefined])
  expect(testing.strategy.matrix.part).toEqual(['test', 'sweep'])
  expect(commandsOf(testing).join()).not.toMatch(/npm (ci|install)/)
  const keys = [lint, testing].map(({ steps }) => JSON.stringify(steps).match(/"key":"[^"]*"/)?.[0])
  expect(keys[1]).toBe(keys[0])
})

test('the oldest Node is tested each night, and runs the tests itself', () => {
  const { steps } = parse(fileOf('nightly.yml')).jobs.oldest
  const [, floor] = /^>=(\d+)/.exec(packageJson.engines.node) ?? []

  expect(steps[1].with['node-version']).toBe(Number(floor))
  expect(steps.at(-1)).toEqual({ run: '.ci/run', env: { TOLLGATE_OWN_NODE: 'yes' } })
})

test('a sandbox is updated and tried each week, once it has a role, and keeps no cache', () => {
  const { on, jobs } = parse(fileOf('sandbox.yml'))
  const commands = commandsOf(jobs.sandbox)

  expect([on.schedule.length, jobs.sandbox.if]).toEqual([1, "vars.SANDBOX_ROLE != ''"])
  expect(commands[0]).toBe('npm ci --ignore-scripts && rm -f node_modules/.bin/node')
  expect(commands).toContain('npm run deploy -- --stage sandbox --region "$AWS_REGION"')
  expect(commands.at(-1)).toContain('npx tollgate smoke "$url" --table "$table"')
  expect(JSON.stringify(jobs.sandbox)).toContain('"package-manager-cache":false')
})

/** The last steps of the nightly jobs: one that fails holds up no other. */
const nightly = Object.values<{ steps: unknown[] }>(parse(fileOf('nightly.yml')).jobs).map(({ steps }) =>
  steps.at(-1),
)

test('each night draws inputs and the order of test files again, sweeps all cases, and needs the judges', () => {
  const TOLLGATE_SEED = `\${{ github.run_number }}`

  expect(nightly).toEqual(
    expect.arrayContaining([
      {
        run: 'npm test -- --maxWorkers=1 --sequence.shuffle.files --sequence.seed="$TOLLGATE_SEED"',
        env: { TOLLGATE_SEED },
      },
      {
        run: 'npm run sweep',
        env: { TOLLGATE_NIGHT: 'yes', TOLLGATE_NEEDS_MARIADB: 'yes', TOLLGATE_SEED },
      },
      {
        run: 'npm run sweep -- test/invoicing/judges',
        env: { TOLLGATE_NIGHT: 'yes', TOLLGATE_NEEDS_JUDGES: 'yes', TOLLGATE_SEED },
      },
    ]),
  )
})

test('the job that publishes reads no cache, which another workflow can fill', () => {
  expect(fileOf('release.yml')).not.toMatch(/cache/)
})

test('main is deployed to dev only, and a release to prod', () => {
  const { on, jobs } = parse(fileOf('deploy.yml'))
  const release = parse(fileOf('release.yml'))

  expect([on.push, Object.keys(jobs)]).toEqual([{ branches: ['main'] }, ['check', 'dev']])
  expect([release.on.push, release.jobs.prod.needs]).toEqual([{ tags: ['v*'] }, ['check', 'release']])
})

/** Runs a step of the release of 1.0.0 in a folder of its own. `gh` prints the text that it would publish. */
function releaseStep(name: string, tag: string) {
  const { steps } = parse(fileOf('release.yml')).jobs.release
  const { run } = steps.find((step: { name?: string }) => step.name?.startsWith(name))
  const cwd = mkdtempSync(join(tmpdir(), 'tollgate-step-'))
  copyFileSync(`${root}CHANGELOG.md`, join(cwd, 'CHANGELOG.md'))
  writeFileSync(join(cwd, 'package.json'), '{"version":"1.0.0"}')
  const env = { ...process.env, TAG: tag, GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b' }
  return spawnSync('bash', ['-e', '-c', `gh() { cat notes.md; }\n${run}`], { cwd, env, encoding: 'utf8' })
}

test('the release takes the tag of the version in package.json, and no other', () => {
  expect(releaseStep('The tag', 'v1.0.0')).toMatchObject({ status: 0 })
  expect(releaseStep('The tag', 'v0.0.1')).toMatchObject({ status: 1 })
})

test('a version is refused before it is written anywhere, unless it and the next one are versions', () => {
  const { steps } = parse(fileOf('version.yml')).jobs.version
  const names = steps.map(({ name }: { name?: string }) => name)
  const step = steps.find(({ name }: { name?: string }) => name === 'Refuse what is no version')
  const status = (VERSION: string, NEXT: string) =>
    spawnSync('bash', ['-e', '-c', step.run], { env: { ...process.env, VERSION, NEXT } }).status

  expect(names.indexOf(step.name)).toBeLessThan(steps.findIndex(({ run = '' }) => /npm version/.test(run)))
  expect([status('1.1.0', '1.2.0-dev'), status('1.1', '1.2.0-dev'), status('1.1.0', '1.2.0')]).toEqual([
    0, 1, 1,
  ])
})

test('the text of a release is its section of CHANGELOG.md', () => {
  const { stdout } = releaseStep('The section', 'v1.0.0')

  expect(stdout).toContain('### ')
  expect(stdout).not.toContain('## [')
  expect([...stdout.matchAll(/\]\((.*?)\)/g)].filter(([, link = '']) => !/^https:/.test(link))).toEqual([])
})

test('the smoke test runs as a canary, with a key of its own and no rights in AWS', () => {
  const { on, jobs, permissions } = parse(fileOf('canary.yml'))
  const last = jobs.smoke.steps.at(-1)

  expect(on.schedule).toHaveLength(1)
  expect(permissions).toEqual({ contents: 'read' })
  expect([jobs.smoke.if, last.run]).toEqual([
    "vars.CANARY_URL != ''",
    'npx tollgate smoke "$URL" --as "$CALLER" --methods "$METHODS"',
  ])
  expect(last.env.TOLLGATE_KEY).toBe(`\${{ secrets.CANARY_KEY }}`)
  expect(jobs.smoke).not.toHaveProperty('environment')
})
