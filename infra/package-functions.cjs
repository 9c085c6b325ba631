const { join } = require('node:path')

/**
 * Bundles each function with esbuild and packs it, in place of osls, which packs source files. `serverless
 * invoke local` runs the same bundle.
 */
module.exports = class PackageFunctions {
  constructor(serverless, options) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => packAll(serverless, options),
      'before:package:function:package': () => packAll(serverless, options, [options.function]),
      'before:invoke:local:invoke': () => unpack(serverless, options),
    }
  }
}

async function packAll(serverless, options, names = serverless.service.getAllFunctions()) {
  const { packFunctions } = await packing()
  const folder = options.package ?? join(serverless.serviceDir, '.serverless')
  const artifacts = await packFunctions(
    folder,
    names.map((name) => packaged(serverless, name)),
    process.env.TOLLGATE_PACKED_FUNCTIONS,
  )
  for (const [index, name] of names.entries()) {
    const config = serverless.service.getFunction(name)
    config.package = { ...config.package, artifact: artifacts[index] }
  }
}

/** osls looks for the handler below this path. */
async function unpack(serverless, options) {
  const { unpackFunction } = await packing()
  options.extraServicePath = await unpackFunction(packaged(serverless, options.function))
}

const packaged = ({ service }, name) => ({ name, handler: service.getFunction(name).handler })

const packing = () => import('../tools/deployment/function-packages.ts')
