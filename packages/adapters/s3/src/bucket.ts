import type { S3Client } from '@aws-sdk/client-s3'
import type { CallOptions } from '@unikv/core'
import type { Requests } from './requests.ts'

/** Make the bucket, unless it is there. */
export async function makeBucket(requests: Requests, client: S3Client, call: CallOptions): Promise<void> {
  const { driver, bucket } = requests
  const looked = await requests.read(call, new driver.HeadBucketCommand({ Bucket: bucket }), async () => true)
  if (looked.refused === undefined) return
  const region = await client.config.region()
  await requests
    .write(call, new driver.CreateBucketCommand({ Bucket: bucket, ...placeIn(region) }))
    .catch((error: unknown) => {
      if (!wasMadeMeanwhile(error)) throw error
    })
}

/** The first region of AWS is the default, and may not be named. */
function placeIn(region: string): object {
  return region === 'us-east-1' ? {} : { CreateBucketConfiguration: { LocationConstraint: region } }
}

function wasMadeMeanwhile(error: unknown): boolean {
  const { cause } = error as { readonly cause?: unknown }
  return (cause as Error | undefined)?.name === 'BucketAlreadyOwnedByYou'
}
