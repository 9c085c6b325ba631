import { cp, mkdtemp, readdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '#tools/machine/location.ts'

const NOT_COPIED = ['.build', '.data', '.git', '.serverless', 'node_modules']

/** Copies the tree for a fresh installation: the developer's own stays as it is. The copy uses the packages of this tree. */
export async function copyTree(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-copy-'))
  const names = (await readdir(root)).filter((name) => !NOT_COPIED.includes(name))
  for (const name of names) await cp(root + name, join(folder, name), { recursive: true })
  await symlink(`${root}node_modules`, join(folder, 'node_modules'))
  return folder
}

/** The options of a process in a copied tree, without what names another table, an account at AWS, or this run of the tests. */
export function surroundingsIn(folder: string) {
  const foreign = Object.keys(process.env).filter((name) =>
    /^(AWS_|TABLE_NAME$|DYNAMODB_|TOLLGATE_|VITEST|NODE_ENV$)/.test(name),
  )
  const env = { ...process.env, ...Object.fromEntries(foreign.map((name) => [name, undefined])) }
  return { cwd: folder, env }
}
