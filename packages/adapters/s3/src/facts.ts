import type { StoreFacts } from '@unikv/core/adapter'
import { s3 } from './s3.ts'

/** Facts about S3, for engineers who choose a store. */
export const s3Facts: StoreFacts = {
  name: 's3',
  title: 'Amazon S3 and compatible services',
  adapter: '@unikv/s3',
  drivers: ['@aws-sdk/client-s3'],
  urls: ['s3://bucket/prefix?region=eu-central-1', 's3://bucket?endpoint=http://127.0.0.1:9000'],
  variants: [{ options: '', capabilities: s3({ bucket: 'bucket' }).capabilities }],
  costs: {
    read: '1 GET',
    readMany: 'one GET a key, side by side',
    set: '1 PUT',
    setMany: 'one PUT a key, side by side',
    conditionalSet: 'if absent 1 PUT with If-None-Match; else 1 GET of 21 bytes, 1 PUT with If-Match',
    delete: '1 DELETE; many in one request',
    scanPage: '1 ListObjectsV2; one GET a value, or a key that may expire',
  },
  consistency: { strong: 'S3 reads what was written since 2020' },
  sources: [
    'https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html',
    'https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html',
  ],
  testedOn: 'SeaweedFS 4.48, which speaks the S3 protocol; not Amazon S3 itself',
  notes: [
    'Every request is paid for: the costs are requests.',
    'Servers of the S3 protocol differ in conditions: MinIO ignores them on DELETE.',
  ],
}
