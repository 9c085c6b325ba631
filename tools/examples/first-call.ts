import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { serve } from '#lib/api/stack/stack.ts'
import type { TableLocation } from '#lib/table/table.ts'
import { findFunctionFile } from '#tools/contracts/function-files.ts'
import { demoKey, exampleOf } from '#tools/contracts/generated-files.ts'
import { signedParameters } from '#tools/contracts/signed-call.ts'
import { program, root } from '#tools/machine/location.ts'
import { freePort } from '#tools/server/engine.ts'
import { startGateway } from '#tools/server/gateway.ts'
import type { DemoCopies } from './demo-copies.ts'
import { type RecordedCommand, sessionPicture } from './session-picture.ts'

/** The picture of the README. */
export const FIRST_CALL_FILE = 'docs/images/first-call.svg'

const METHOD = 'devices_get'

/** The address that the picture shows. */
const SHOWN_ADDRESS = 'http://localhost:3000'

/** Runs the commands of the picture on the demo, at its stopped clock, and draws what they print. */
export const firstCall = (demo: DemoCopies): Promise<string> =>
  demo.on(async (services, location) => {
    const { method } = await findFunctionFile(METHOD)
    const route = { path: `/api/${METHOD}`, handler: serve(method, services) }
    const gateway = await startGateway(await freePort(), () => [route])
    try {
      const session: RecordedCommand[] = []
      for (const command of await commands())
        session.push({ command, lines: await linesOf(command, gateway.url, location) })
      return sessionPicture(session)
    } finally {
      await gateway.stop()
    }
  })

async function commands(): Promise<string[]> {
  const { method } = await findFunctionFile(METHOD)
  const right = new URLSearchParams(signedParameters(method, exampleOf(METHOD), demoKey()))
  const keyInFront = createHash('sha1').update(`${demoKey()}10`).digest('hex')
  const wrong = new URLSearchParams({ ...exampleOf(METHOD), hash: keyInFront })
  return [
    `curl -d '${right}' ${SHOWN_ADDRESS}/api/${METHOD}`,
    `npx tollgate call ${METHOD} user_id=10 --format table`,
    `npx tollgate explain-hash "curl -d '${wrong}' ${SHOWN_ADDRESS}/api/${METHOD}"`,
    "npx tollgate explain carol 442079460123 --seconds 90 --at '2026-11-18 15:30:00'",
  ]
}

/** The options of the commands that name the demo, which \`npm start\` would let them find. */
const optionsOf = (command: string, url: string, { endpoint = '', tableName }: TableLocation): string => {
  if (command.includes('tollgate explain ')) return ` --endpoint ${endpoint} --table ${tableName}`
  return command.startsWith('npx') ? ` --url ${url} --key ${demoKey()}` : ''
}

async function linesOf(command: string, url: string, location: TableLocation): Promise<string[]> {
  const run = `${command.replaceAll(SHOWN_ADDRESS, url)}${optionsOf(command, url, location)}`.replace(
    'npx tollgate',
    `'${process.execPath}' '${program}'`,
  )
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', run.replace(/^curl/, 'curl -s')], {
    cwd: root,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH']}` },
  })
  return `${stderr}${stdout}`.replaceAll(url, SHOWN_ADDRESS).trimEnd().split('\n')
}
