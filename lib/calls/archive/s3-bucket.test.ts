import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { anArchivedWorld } from '#test/archive/archived-world.ts'
import { ARCHIVE_BUCKET, aConditionalS3, archiveClient, type LocalS3 } from '#test/archive/conditional-s3.ts'
import { people } from '#test/examples/examples.ts'
import { listedCall } from '#test/examples/listed-calls.ts'
import { motoIsSkipped, startMoto } from '#test/queue/moto.ts'
import { damageIn } from '#test/soundness.ts'
import { s3Bucket } from './bucket.ts'
import { readManifest } from './manifest.ts'

const KEY = 'calls/day=2026-03-05/owner=0/calls.parquet'

let files = 0

function aFile(text: string): string {
  files += 1
  const path = join(tmpdir(), `tollgate-s3-${process.pid}-${files}`)
  writeFileSync(path, text)
  onTestFinished(() => rmSync(path, { force: true }))
  return path
}

const stores: readonly (readonly [string, boolean, () => Promise<LocalS3>])[] = [
  ['S3 in this process', false, aConditionalS3],
  ['moto', motoIsSkipped, async () => ({ client: await archiveClient(await startMoto()) })],
]

describe.each(stores)('the archive in %s', (_name, skip, start) => {
  const aBucket = async () => {
    const s3 = await start()
    const bucket = s3Bucket(ARCHIVE_BUCKET, s3.client)
    const textOf = async () => {
      const object = await bucket.open(KEY)
      return object && Buffer.from(await object.read(0, object.bytes)).toString()
    }
    return { ...s3, bucket, textOf }
  }

  test('a missing object is undefined, and a range is read', { skip }, async () => {
    const { bucket } = await aBucket()
    expect(await bucket.open(KEY)).toBeUndefined()

    await bucket.write(KEY, aFile('0123456789'), undefined)

    const object = await bucket.open(KEY)
    expect(object?.bytes).toBe(10)
    expect(Buffer.from((await object?.read(2, 5)) ?? []).toString()).toBe('234')
  })

  test('a new object does not replace one that another run has written', { skip }, async () => {
    const { bucket, textOf } = await aBucket()
    await bucket.write(KEY, aFile('first'), undefined)

    await expect(bucket.write(KEY, aFile('second'), undefined)).rejects.toMatchObject({
      code: 'object_changed',
    })

    expect(await textOf()).toBe('first')
  })

  test('an object replaces only the version that was read', { skip }, async () => {
    const { bucket, textOf } = await aBucket()
    await bucket.write(KEY, aFile('first'), undefined)
    const read = await bucket.open(KEY)
    await bucket.write(KEY, aFile('second'), read?.version)

    await expect(bucket.write(KEY, aFile('third'), read?.version)).rejects.toMatchObject({
      code: 'object_changed',
    })
    await expect(read?.read(0, 5)).rejects.toMatchObject({ code: 'object_changed' })

    expect(await textOf()).toBe('second')
  })

  test('an object that was deleted has changed', { skip }, async () => {
    const { bucket, client } = await aBucket()
    await bucket.write(KEY, aFile('first'), undefined)
    const read = await bucket.open(KEY)
    await client.send(new DeleteObjectCommand({ Bucket: ARCHIVE_BUCKET, Key: KEY }))

    await expect(read?.read(0, 5)).rejects.toMatchObject({ code: 'object_changed' })
    await expect(bucket.write(KEY, aFile('second'), read?.version)).rejects.toMatchObject({
      code: 'object_changed',
    })
  })

  test('another failure is not taken for a change', { skip }, async () => {
    const { client } = await aBucket()

    const missing = s3Bucket('no-such-bucket', client).write(KEY, aFile('first'), undefined)

    await expect(missing).rejects.toThrow(/bucket does not exist/)
  })
})

test('S3 answers 409 while another conditional write of the object is under way', async () => {
  const { client, conflict } = await aConditionalS3()
  conflict()

  await expect(s3Bucket(ARCHIVE_BUCKET, client).write(KEY, aFile('first'), undefined)).rejects.toMatchObject({
    code: 'object_changed',
  })
})

test('two runs on one bucket archive each call once, and a late one is added', async () => {
  const { client } = await aConditionalS3()
  const bucket = s3Bucket(ARCHIVE_BUCKET, client)
  const on = (day: string, uniqueid: string) => listedCall(uniqueid, { calldate: `${day} 09:00:00` })
  const calls = [on('2026-03-04', 'a'), on('2026-03-05', 'b'), on('2026-03-05', 'c')]
  const world = await anArchivedWorld({ users: people, calls }, { Calls_Keep_Days: '3' }, bucket)

  await Promise.all([world.archive(), world.archive()])
  expect((await world.archive()).map(({ outcome }) => outcome)).not.toContain('refused')
  await world.given({ calls: [on('2026-03-05', 'd'), on('2026-03-05', 'b')] })
  await world.archive()

  expect((await world.archivedCalls('2026-03-05')).map(({ uniqueid }) => uniqueid)).toEqual(['b', 'c', 'd'])
  expect((await readManifest(bucket, '2026-03-05'))?.manifest.everyone.calls).toBe(3)
  expect(await damageIn(world)).toEqual([])
})

test('a manifest of a later format is refused', async () => {
  const { client } = await aConditionalS3()
  const bucket = s3Bucket(ARCHIVE_BUCKET, client)
  const Body = JSON.stringify({ format: 2 })
  await client.send(new PutObjectCommand({ Bucket: ARCHIVE_BUCKET, Key: 'manifests/2026-03-05.json', Body }))

  await expect(readManifest(bucket, '2026-03-05')).rejects.toThrow(/expected 1/i)
})
