import { build } from 'esbuild'
import { root } from '#lib/local/root.ts'

/** Writes the file that serverless.yml puts beside every bundle, from where infra/bundle/doctor-beside.ts reads it. */
export const writeDoctor = (folder = `${root}.build/doctor`): Promise<unknown> =>
  build({
    absWorkingDir: root,
    entryPoints: ['lib/doctor/refused-hash.ts'],
    outfile: `${folder}/refused-hash.cjs`,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'silent',
  })
