import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import { freePort } from '#tools/server/engine.ts'
import { writeRelease } from './release-folder.ts'

const MAX_BYTES = 80_000_000

const run = promisify(execFile)

/** A folder outside of the checkout: nothing in it finds the packages of the checkout. */
function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)

/** The lines that are meant for neither npm nor a checkout: Node alone is on the path. */
async function startIn(folder: string): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const port = await freePort()
  const words = ['tools/bin/tollgate.js', 'start', '--port', String(port)]
  const program = spawn(process.execPath, words, {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    program.kill('SIGTERM')
    if (program.exitCode === null) await once(program, 'exit')
  })
  let output = ''
  const listens = new Promise<void>((resolve) =>
    program.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('listens on')) resolve()
    }),
  )
  await Promise.race([
    listens,
    once(program, 'exit').then(([code]) => Promise.reject(new Error(`${code}: ${output}`))),
  ])
  return { url: `http://localhost:${port}`, process: program }
}

const SIGNED = new URLSearchParams(
  JSON.parse(readFileSync(`${root}events/devices_get.json`, 'utf8')).body as string,
)

async function expectToServe(url: string): Promise<void> {
  const answer = await fetch(`${url}/api/devices_get`, { method: 'POST', body: SIGNED })
  expect(await answer.text()).toContain('<devices><device>')
  const page = await (await fetch(`${url}/`)).text()
  expect(page).toContain('name="demo-key" content="demo-secret-key"')
  for (const [, path] of page.matchAll(/(?:src|href)="(console\/[^"]+)"/g))
    expect((await fetch(`${url}/${path}`)).status, path).toBe(200)
  expect((await fetch(`${url}/api/openapi.json`)).headers.get('content-type')).toContain('json')
  expect((await fetch(`${url}/health`)).status).toBe(200)
}

test('a release serves the API and the page, and runs commands, with Node alone', {
  timeout: 120_000,
}, async () => {
  const folder = aFolder()
  await writeRelease(folder)

  expect(bytesIn(folder)).toBeLessThan(MAX_BYTES)
  const { url } = await startIn(folder)
  await expectToServe(url)
  const tollgate = async (...words: string[]) =>
    (await run(process.execPath, ['tollgate', ...words], { cwd: folder, env: {} })).stdout
  expect(await tollgate('account', 'list')).toContain('14 accounts')
  expect(await tollgate('check-data')).toContain('no problems')
  const answers = ['--company', 'Shop', '--currency', 'EUR', '--timezone', 'UTC', '--password-stdin']
  const made = run(process.execPath, ['tollgate', 'init', 'shop', ...answers], { cwd: folder, env: {} })
  made.child.stdin?.end('first-day-pass')
  expect((await made).stdout).toContain('Run: ./tollgate start --data shop')
  const help = await tollgate('--help')
  expect(help).toContain('check-data')
  expect(help).not.toContain('simulate')
  await expect(tollgate('deploy')).rejects.toThrow('deploy belongs to the source')
})

interface Installed {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
}

test('npm start runs without the packages that are only for development', { timeout: 120_000 }, async () => {
  const folder = aFolder()
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    readonly packages: Readonly<Record<string, Installed>>
  }
  const paths = Object.entries(packages).flatMap(([path, { dev, devOptional, peer }]) =>
    path.startsWith('node_modules/') && !dev && !devOptional && !peer && existsSync(root + path)
      ? [path]
      : [],
  )
  const isTest = (path: string) => /\.(test|sweep\.test)\.tsx?$/.test(path)
  for (const path of [
    'console',
    'data',
    'docs',
    'events',
    'functions',
    'infra',
    'lib',
    'tools',
    'package.json',
  ])
    cpSync(root + path, join(folder, path), { recursive: true, filter: (one) => !isTest(one) })
  // Node of the machine runs it: the package with Node is only a fallback.
  for (const path of paths.filter((one) => !one.includes('node-linux')))
    cpSync(root + path, join(folder, path), { recursive: true, dereference: true })

  const { url } = await startIn(folder)
  await expectToServe(url)
})
