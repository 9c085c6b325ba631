import { notFound } from '#lib/stack/not-found.ts'

export const handler = notFound({ log: (line) => process.stdout.write(`${JSON.stringify(line)}\n`) })
