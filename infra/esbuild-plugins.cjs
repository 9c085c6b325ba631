const { readFileSync } = require('node:fs')
const { dirname, join } = require('node:path')

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

/**
 * The schemas of AWS's clients compute the keys of their objects (`[_e]: 400`), which esbuild takes for an effect: it
 * keeps those of commands that nothing sends. Of S3's, 56 KB. With the texts in place of their constants it drops them.
 */
const schemasOfUse = {
  name: 'schemas-of-use',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/].*[\\/]schemas_0\.js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8')
      const texts = new Map(
        [...code.matchAll(/^const (\w+) = (".*");$/gm)].map(([, name, text]) => [name, text]),
      )
      return {
        contents: code.replace(/\[(\w+)\]:/g, (key, name) => (texts.has(name) ? `${texts.get(name)}:` : key)),
      }
    }),
}

/** A function that writes PDFs has fonts and colours in its bundle: it is deployed without packages. */
const filesInside = {
  name: 'files-inside',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]invoicing[\\/]documents[\\/]fonts\.ts$/ }, ({ path }) => {
      const fonts = [...readFileSync(path, 'utf8').matchAll(/fontFile\('([^']+\.ttf)'\)/g)]
      const [regular, bold] = fonts.map(([, file]) => `@expo-google-fonts/ibm-plex-sans/${file}`)
      const colours = join(dirname(require.resolve('pdfkit')), 'data/sRGB_IEC61966_2_1.icc')
      const files = { regularFont: regular, boldFont: bold, colourProfile: colours }
      const contents = Object.entries(files).map(
        ([name, file]) =>
          `import ${name}File from ${JSON.stringify(file)}; export const ${name} = () => ${name}File`,
      )
      return { contents: contents.join('\n'), loader: 'js', resolveDir: dirname(path) }
    }),
}

module.exports = [versionAlone, withoutUnused, schemasOfUse, filesInside]
