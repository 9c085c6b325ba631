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

module.exports = [versionAlone]
