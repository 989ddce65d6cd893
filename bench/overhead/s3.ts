import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { keyValue } from '@unikv/core'
import { s3 } from '@unikv/s3'
import { startServer } from '@unikv/test-kit'
import { type Entrants, ofKeyValue } from '../measure/overhead.ts'
import { liveIn, recordOf } from './records.ts'

const bucket = 'unikv-overhead'

/** The AWS SDK, which has no command that puts or gets many: as many at once as it has connections for. */
export async function overS3(): Promise<Entrants> {
  const server = await startServer('s3')
  const { origin, username, password } = new URL(server.url)
  const at = { endpoint: origin, credentials: { accessKeyId: username, secretAccessKey: password } }
  const kv = keyValue(s3({ ...at, bucket, prepare: true }))
  await kv.has('ready')
  const client = new S3Client({ ...at, region: 'us-east-1', forcePathStyle: true, maxAttempts: 1 })
  const place = (key: string) => ({ Bucket: bucket, Key: `native/${key}` })
  const insert = (key: string, value: Buffer) =>
    client.send(new PutObjectCommand({ ...place(key), Body: recordOf(value) }))
  const read = async (key: string) => {
    const { Body } = await client.send(new GetObjectCommand(place(key)))
    const bytes = await Body?.transformToByteArray()
    return bytes && liveIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  const native = {
    insert,
    read,
    delete: (key: string) => client.send(new DeleteObjectCommand(place(key))),
    readMany: (keys: readonly string[]) => Promise.all(keys.map(read)),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all(entries.map(([key, value]) => insert(key, value))),
  }
  const close = async (): Promise<void> => {
    client.destroy()
    await kv.close()
    await server.stop()
  }
  return { native, unikv: ofKeyValue(kv), close }
}
