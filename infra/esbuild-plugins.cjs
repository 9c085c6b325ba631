const { readFileSync } = require('node:fs')

/** AWS's clients import their package.json, two kilobytes, only to send their version. This keeps the version alone. */
const versionAlone = {
  name: 'version-alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    }),
}

/**
 * Replaces files of packages that a function never reaches. `infra/esbuild.yml` can only replace what is imported by the
 * name of a package.
 */
const withoutUnused = {
  name: 'without-unused',
  setup: ({ onLoad }) => {
    // busboy parses multipart bodies alone: lib/api/raw-parameters.ts reads urlencoded ones. busboy skips an empty type.
    onLoad({ filter: /[\\/]busboy[\\/]lib[\\/]types[\\/]urlencoded\.js$/ }, () => ({
      contents: 'module.exports = {}',
    }))
    // The SDK's own SHA-256 is for a Node without crypto.
    onLoad({ filter: /[\\/]@smithy[\\/]core[\\/].*[\\/]Sha256Js\.js$/ }, () => ({
      contents: 'export class Sha256Js {}',
    }))
    // Only messages of event streams have headers in this format.
    onLoad({ filter: /[\\/]@smithy[\\/]signature-v4[\\/].*[\\/]HeaderFormatter\.js$/ }, () => ({
      contents: 'export class HeaderFormatter {}',
    }))
  },
}

module.exports = [versionAlone, withoutUnused]
