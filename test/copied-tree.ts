import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '#tools/machine/program.ts'

const NOT_COPIED = ['.build', '.data', '.git', '.serverless', 'node_modules']

/** Copies the tree for a fresh installation: the developer's own stays as it is. */
export async function copyTree(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-copy-'))
  const names = (await readdir(root)).filter((name) => !NOT_COPIED.includes(name))
  for (const name of names) await cp(root + name, join(folder, name), { recursive: true })
  await linkPackages(join(folder, 'node_modules'))
  return folder
}

/** Links that lead to `npx tollgate` are copied: in the copy they lead to the program of the copy. */
const COPIED_LINKS = ['.bin', 'tollgate-command']

/** The copy uses the packages of this tree. */
async function linkPackages(packages: string): Promise<void> {
  await mkdir(packages)
  for (const name of await readdir(`${root}node_modules`)) {
    const [from, to] = [`${root}node_modules/${name}`, join(packages, name)]
    if (COPIED_LINKS.includes(name)) await cp(from, to, { recursive: true, verbatimSymlinks: true })
    else await symlink(from, to)
  }
}

/** A process in a copied tree, without settings of another table, an AWS account, or this test run. */
export function surroundingsIn(folder: string) {
  const foreign = Object.keys(process.env).filter((name) =>
    /^(AWS_|TABLE_NAME$|DYNAMODB_|TOLLGATE_|VITEST|NODE_ENV$)/.test(name),
  )
  const env = {
    ...process.env,
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    // npm warns about its own configuration, before what the command prints.
    npm_config_loglevel: 'error',
  }
  return { cwd: folder, env }
}
