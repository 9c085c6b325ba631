const { readFileSync } = require('node:fs')

/** AWS's clients name their version to AWS, and import their package.json for it: two kilobytes of which it takes one line. */
const versionAlone = {
  name: 'version-alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'))
      return { contents: JSON.stringify({ version }), loader: 'json' }
    }),
}

module.exports = [versionAlone]
