const { readFileSync } = require('node:fs')
const { pathToFileURL } = require('node:url')

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

/** A function that writes PDFs has their fonts and colours in its bundle, because it has no packages beside it. */
const filesInside = {
  name: 'files-inside',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]invoicing[\\/]documents[\\/]fonts\.ts$/ }, async ({ path }) => {
      const functions = Object.entries(await import(pathToFileURL(path).href))
      const contents = functions.map(
        ([name, read]) =>
          `export const ${name} = () => Buffer.from('${read().toString('base64')}', 'base64')`,
      )
      return { contents: contents.join('\n'), loader: 'js' }
    }),
}

module.exports = [versionAlone, withoutUnused, filesInside]
