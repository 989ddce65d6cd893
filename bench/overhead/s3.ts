import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { keyValue } from '@unikv/core'
import { s3 } from '@unikv/s3'
import { type Client, type Entrants, ofKeyValue } from '../measure/entrants.ts'
import { accountOf } from './aws-account.ts'
import { liveIn, recordOf } from './records.ts'

const bucket = 'unikv-overhead'

/** The AWS SDK, which has no command that puts or gets many: as many at once as it has connections for. */
export const overS3: Entrants = {
  server: 's3',
  unikv: async (url) => ofKeyValue(keyValue(s3({ ...accountOf(url), bucket, prepare: true }))),
  native: nativeS3,
}

async function nativeS3(url: string): Promise<Client> {
  const client = new S3Client({
    ...accountOf(url),
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 1,
  })
  const place = (key: string) => ({ Bucket: bucket, Key: `native/${key}` })
  const insert = (key: string, value: Buffer) =>
    client.send(new PutObjectCommand({ ...place(key), Body: recordOf(value) }))
  const read = async (key: string) => {
    const { Body } = await client.send(new GetObjectCommand(place(key)))
    const bytes = await Body?.transformToByteArray()
    return bytes && liveIn(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  return {
    insert,
    read,
    delete: (key: string) => client.send(new DeleteObjectCommand(place(key))),
    readMany: (keys: readonly string[]) => Promise.all(keys.map(read)),
    insertMany: (entries: readonly (readonly [string, Buffer])[]) =>
      Promise.all(entries.map(([key, value]) => insert(key, value))),
    close: async () => client.destroy(),
  }
}
