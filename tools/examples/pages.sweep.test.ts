import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { copyTree, surroundingsIn } from '#test/copied-tree.ts'
import { root } from '#tools/machine/program.ts'
import { freePort } from '#tools/server/engine.ts'

/** The reports come first, because they sum up the demo as it was loaded. */
const PAGES = ['docs/reports.md', 'README.md', 'docs/tour.md', 'docs/cookbook.md']

/** The commands of each console block, with the lines that the page shows below them. */
const blocks = PAGES.flatMap((page) =>
  [...readFileSync(root + page, 'utf8').matchAll(/^```console\n(.*?)\n```$/gms)].map(([, block = '']) =>
    block.split(/^\$ /m).slice(1).map(exampleIn),
  ),
)

function exampleIn(lines: string): { command: string; shown: string } {
  const [command = '', ...shown] = lines.trimEnd().split('\n')
  return { command, shown: shown.join('\n') }
}

/** The installation is not run again: the copy of the tree uses the packages of this one. */
const START = 'npm ci --omit=dev && npm start'

const starting = blocks.flat().find(({ command }) => command === START)
const blocksToRun = blocks.filter((examples) => !examples.some(({ command }) => command === START))

/** A copy of the tree: the pages need a fresh installation, and the developer's own must stay. */
let folder: string
let port: number
let installation: ChildProcess
let printedAtStart = ''

beforeAll(async () => {
  folder = await copyTree()
  port = await freePort()
  installation = spawn('npm', ['start', '--', '--port', String(port)], {
    ...surroundingsIn(folder),
    detached: true,
  })
  for (const output of [installation.stdout, installation.stderr]) {
    output?.on('data', (chunk: Buffer) => {
      printedAtStart += chunk
    })
  }
  await vi.waitUntil(() => isListening() || hasEnded(), { timeout: 1_100_000, interval: 100 })
}, 1_200_000)

const isListening = () => /^Try: .*\n/m.test(printedAtStart)

const hasEnded = () => installation.exitCode !== null || installation.signalCode !== null

afterAll(async () => {
  if (!hasEnded()) {
    const ended = once(installation, 'exit')
    process.kill(-Number(installation.pid), 'SIGINT')
    await ended
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/**
 * Off a terminal, curl would report its progress. npx takes as long as the command that it starts
 * (tools/tollgate.process.test.ts has a test of it). A control character separates commands' outputs.
 */
const SEPARATOR = '\u0001'
const PREAMBLE =
  'exec 2>&1\ncurl() { command curl -sS "$@"; }\nnpx() { shift; node tools/bin/tollgate.js "$@"; }\n'

async function outputsOf(commands: readonly string[]): Promise<string[]> {
  const lines = commands.map((command) => `${command}\nprintf '\\1'\n`).join('')
  const script = PREAMBLE + lines.replaceAll('localhost:3000', `localhost:${port}`)
  const shell = spawn('bash', ['-c', script], surroundingsIn(folder))
  const printed = await text(shell.stdout)
  return printed.split(SEPARATOR).slice(0, -1)
}

/** `...` alone on a line stands for any lines, and within a line for any text. */
function isAsShown(printed: string, shown: string): boolean {
  const pattern = undated(shown)
    .split('\n')
    .map((line) => (line.trim() === '...' ? '(?:.*\\n)*' : `${patternOf(line)}\\n`))
    .join('')
  return new RegExp(`^${pattern}$`).test(`${undated(printed).trimEnd()}\n`)
}

const patternOf = (line: string): string => line.split('...').map(escaped).join('.*')

const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The shown text where it agrees, so that a failure prints both in full. */
const asShown = (printed: string, shown: string): string => (isAsShown(printed, shown) ? shown : printed)

/** The days of the demo depend on when it was loaded. */
const undated = (shown: string): string => shown.replaceAll(/\d{4}-\d\d-\d\d(?=\s)/g, 'YYYY-MM-DD')

/** The output at a terminal, which has a bar in the place of lines of progress. */
const onTerminal = (printed: string): string =>
  printed
    .replaceAll(`localhost:${port}`, 'localhost:3000')
    .replace(/^(?:checking|importing) .* rows\b.*\n/gm, '')

test('npm start prints what the README shows', () => {
  const shown = starting?.shown ?? ''
  expect(asShown(onTerminal(printedAtStart), shown)).toBe(shown)
})

test('the pages have console blocks', () => {
  expect(blocksToRun.length).toBeGreaterThan(24)
})

test.each(blocksToRun.map((examples) => [examples[0]?.command, examples] as const))(
  'the block of "%s" prints what the page shows',
  { timeout: 1_200_000 },
  async (_first, examples) => {
    const outputs = await outputsOf(examples.map(({ command }) => command))

    const printed = examples.map(({ command, shown }, index) => ({
      command,
      printed: asShown(onTerminal(outputs[index] ?? ''), shown),
    }))
    expect(printed).toEqual(examples.map(({ command, shown }) => ({ command, printed: shown })))
  },
)
