import { S3Client } from '@aws-sdk/client-s3'
import { attempts, functionConfig, otherStore } from '#lib/table/requests/aws-config.ts'
import type { ArchiveBucket } from './bucket.ts'
import { folderBucket } from './folder-bucket.ts'
import { s3Bucket } from './s3-bucket.ts'

/** The bucket that ARCHIVE_BUCKET names, or the folder if it is an absolute path; `undefined` without it. */
export function archiveBucketOf(environment: NodeJS.ProcessEnv): ArchiveBucket | undefined {
  const { ARCHIVE_BUCKET: name = '' } = environment
  if (name === '') return undefined
  if (name.startsWith('/')) return folderBucket(name)
  const client = new S3Client({ ...attempts, ...functionConfig(environment), ...otherStore(environment) })
  // The errors of AWS's clients do not tell which service they are about.
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error) => {
        throw Object.assign(error, { service: 'S3' })
      }),
    { step: 'initialize' },
  )
  return s3Bucket(name, client)
}
