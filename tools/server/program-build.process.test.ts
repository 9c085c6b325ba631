import { readFileSync } from 'node:fs'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '#tools/machine/program.ts'
import { programOptions } from './program-build.ts'

test.each(['linux-arm64', 'darwin-arm64'])(
  'a program that is built on %s locks files there',
  async (machine) => {
    const { outputFiles } = await build({
      ...(await programOptions(machine)),
      entryPoints: ['tools/machine/file-lock.ts'],
      outdir: '.data/none',
      write: false,
    })
    const lock = `node_modules/fs-native-extensions/prebuilds/${machine}/fs-native-extensions.node`

    expect(outputFiles.map(({ contents }) => Buffer.from(contents))).toContainEqual(readFileSync(root + lock))
  },
)
