const { readFileSync } = require('node:fs')
const { dirname } = require('node:path')

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

/** A function that writes PDFs has the files of their fonts in its bundle, because it has no packages beside it. */
const fontsInside = {
  name: 'fonts-inside',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]invoicing[\\/]documents[\\/]fonts\.ts$/ }, ({ path }) => {
      const files = [...readFileSync(path, 'utf8').matchAll(/read\('([^']+\.ttf)'\)/g)].map(
        ([, file]) => file,
      )
      const [regular, bold] = files.map((file) => JSON.stringify(`@expo-google-fonts/ibm-plex-sans/${file}`))
      const contents = `import regular from ${regular}; import bold from ${bold}
export const regularFont = () => regular
export const boldFont = () => bold`
      return { contents, loader: 'js', resolveDir: dirname(path) }
    }),
}

module.exports = [versionAlone, withoutUnused, fontsInside]
