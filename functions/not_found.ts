import { notFound } from '#lib/api/not-found.ts'

export const handler = notFound({ log: (line) => process.stdout.write(`${JSON.stringify(line)}\n`) })
